package io.interlock.autoconfigure.zookeeper;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Details required to connect to ZooKeeper.
 *
 * @since 0.1.0
 */
public interface ZooKeeperConnectionDetails extends ConnectionDetails {

	/** Return the servers: {@code host:port,host:port} with an optional chroot. */
	String connectString();

	/** Return the user for digest authentication, or {@code null} for none. */
	default @Nullable String username() {
		return null;
	}

	/** Return the password for digest authentication, or {@code null} for none. */
	default @Nullable String password() {
		return null;
	}

	/**
	 * {@return the SSL bundle for TLS, or {@code null} for a connection without TLS} Its
	 * stores, key and options are used, its managers are not.
	 */
	default @Nullable SslBundle sslBundle() {
		return null;
	}

	/**
	 * {@return whether to follow the addresses that the ensemble knows itself by} Must be
	 * off where they cannot be reached from here, as behind port mappings. A connection
	 * with TLS never follows them.
	 */
	default boolean ensembleTracker() {
		return true;
	}

}
