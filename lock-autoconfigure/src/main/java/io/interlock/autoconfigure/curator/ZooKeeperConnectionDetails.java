package io.interlock.autoconfigure.curator;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Details required to connect to ZooKeeper.
 *
 * @since 0.1.0
 */
public interface ZooKeeperConnectionDetails extends ConnectionDetails {

	/**
	 * Return the servers to connect to.
	 * @return comma-separated list of {@code host:port} pairs, with an optional chroot
	 */
	String connectString();

	/**
	 * Return the user for digest authentication.
	 * @return the user, or {@code null} for none
	 */
	default @Nullable String username() {
		return null;
	}

	/**
	 * Return the password for digest authentication.
	 * @return the password, or {@code null} for none
	 */
	default @Nullable String password() {
		return null;
	}

	/**
	 * Return what to connect with TLS with: the stores, the key and the options of the
	 * bundle, not its managers.
	 * @return the bundle, or {@code null} for a connection without TLS
	 */
	default @Nullable SslBundle sslBundle() {
		return null;
	}

	/**
	 * Return whether to follow the addresses that the ensemble knows itself by. Must be
	 * off where they cannot be reached from here, as behind port mappings. Not asked with
	 * TLS, where nobody follows them.
	 * @return whether to follow ensemble reconfiguration
	 */
	default boolean ensembleTracker() {
		return true;
	}

}
