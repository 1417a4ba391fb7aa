package io.interlock.autoconfigure.zookeeper;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;

import io.interlock.zookeeper.LockAcl;
import io.interlock.zookeeper.Peers;
import io.interlock.zookeeper.Recipe;
import io.interlock.zookeeper.internal.client.OwnClient;
import io.interlock.zookeeper.internal.node.OwnerRecord;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.common.PathUtils;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.util.StringUtils;

/**
 * Configuration properties for the connection to ZooKeeper.
 *
 * @param connectString Comma-separated list of host:port pairs, with an optional chroot.
 * @param username Username for digest authentication.
 * @param password Password for digest authentication.
 * @param rootPath Path below which lock nodes are created.
 * @param acl Which clients can access lock nodes. Unless it is open, all instances must
 * authenticate as the same user. Applies to nodes when they are created.
 * @param requireSecure Whether to refuse to start with open locks, or with a password
 * that is sent without TLS, unless all servers are on the loopback interface. Otherwise,
 * each is logged as a warning.
 * @param ssl TLS to ZooKeeper.
 * @param sessionTimeout Session timeout to request. The servers may grant another one.
 * @param connectionTimeout Time to wait for a connection attempt, at most the session
 * timeout.
 * @param ensembleTracker Whether to follow reconfigurations of the ensemble. Always off
 * with TLS, because ensembles announce only their ports without TLS.
 * @param operatorTimeout Time to wait for a call by an operator: to show the locks of all
 * instances, to free a lock, or to ask for it.
 * @param lockData How much lock nodes reveal about their owner, to every client that can
 * read them.
 * @param recipe Recipe to use to acquire locks.
 * @param locks Overrides by lock name: peers and keep-parent. Write names with special
 * characters in brackets.
 * @param embedded A ZooKeeper server inside this JVM, for development and demos.
 * @since 0.1.0
 */
@ConfigurationProperties(prefix = "interlock.zookeeper", ignoreUnknownFields = false)
public record ZooKeeperProperties(@DefaultValue("localhost:2181") String connectString, @Nullable String username,
		@Nullable String password, @DefaultValue("/interlock") String rootPath, @DefaultValue("open") LockAcl acl,
		@DefaultValue("false") boolean requireSecure, @DefaultValue Ssl ssl,
		@DefaultValue("30s") Duration sessionTimeout, @DefaultValue("15s") Duration connectionTimeout,
		@DefaultValue("true") boolean ensembleTracker, @DefaultValue("500ms") Duration operatorTimeout,
		@DefaultValue("full") OwnerRecord.LockData lockData, @DefaultValue("pipelined") Recipe recipe,
		@DefaultValue Map<String, Lock> locks, @DefaultValue Embedded embedded) implements InitializingBean {

	private static final String PREFIX = "interlock.zookeeper.";

	@Override
	public void afterPropertiesSet() {
		checkConnectString();
		checkCredentials();
		checkRootPath();
		checkMillis("session-timeout", this.sessionTimeout, 1);
		checkMillis("connection-timeout", this.connectionTimeout, 1);
		checkMillis("operator-timeout", this.operatorTimeout, 1);
		check(this.embedded.port >= 0 && this.embedded.port <= 65535, "embedded.port", this.embedded.port,
				"It must be between 0 and 65535. Zero picks a free port.");
		check(this.locks.keySet().stream().allMatch(StringUtils::hasText), "locks", this.locks.keySet(),
				"The name of a lock must not be blank.");
	}

	/** Curator warns of one that is longer than the session timeout. */
	@Override
	public Duration connectionTimeout() {
		return (this.connectionTimeout.compareTo(this.sessionTimeout) > 0) ? this.sessionTimeout
				: this.connectionTimeout;
	}

	/** Start a client for a provider of its own, without customizers. */
	public OwnClient startClient(@Nullable SslBundles sslBundles) {
		return CuratorAutoConfiguration.OwnClientConfiguration.start(new ConnectionDetails(this, sslBundles), this,
				CuratorAutoConfiguration.OwnClientConfiguration.interlockZooKeeperRetryPolicy(), (builder) -> {
				});
	}

	private void checkConnectString() {
		check(StringUtils.hasText(this.connectString) && !this.connectString.startsWith("/"), "connect-string",
				this.connectString, "It must name at least one server: write 'host:port'.");
		try {
			new ConnectStringParser(this.connectString);
		}
		catch (IllegalArgumentException ex) {
			check(false, "connect-string", this.connectString,
					"Write 'host:port,host:port/chroot'. " + ex.getMessage() + ".");
		}
	}

	private void checkCredentials() {
		check(StringUtils.hasLength(this.username) == StringUtils.hasLength(this.password), "username", this.username,
				"Set both of 'interlock.zookeeper.username' and 'interlock.zookeeper.password', or neither.");
		check(this.username == null || !this.username.contains(":"), "username", this.username,
				"The user of digest authentication must not contain a colon.");
	}

	private void checkRootPath() {
		String path = this.rootPath;
		check(StringUtils.hasText(path), "root-path", path,
				"It must not be empty: write '/interlock', or remove the property.");
		String absolute = path.startsWith("/") ? path : "/" + path;
		check(!(absolute + "/").startsWith("/zookeeper/"), "root-path", path,
				"'/zookeeper' belongs to ZooKeeper itself: choose a path such as '/interlock'.");
		check(path.equals(absolute), "root-path", path, "It must be absolute: write '%s'.".formatted(absolute));
		check(!path.equals("/"), "root-path", path,
				"It must not be the root of ZooKeeper: choose a path such as '/interlock'.");
		try {
			PathUtils.validatePath(path);
		}
		catch (IllegalArgumentException ex) {
			check(false, "root-path", path, "ZooKeeper does not accept this path: " + ex.getMessage() + ".");
		}
	}

	private static void checkMillis(String name, Duration value, int least) {
		check(!value.isNegative() && value.compareTo(Duration.ofMillis(least)) >= 0
				&& value.compareTo(Duration.ofMillis(Integer.MAX_VALUE)) <= 0, name, value,
				"It must be between %d and %d milliseconds.".formatted(least, Integer.MAX_VALUE));
	}

	private static void check(boolean valid, String name, @Nullable Object value, String reason) {
		if (!valid) {
			throw new InvalidConfigurationPropertyValueException(PREFIX + name, value, reason);
		}
	}

	/** Describe without the password. */
	@Override
	public String toString() {
		return "ZooKeeperProperties[connectString=" + this.connectString + ", username=" + this.username + "]";
	}

	/**
	 * @param enabled Whether to connect with TLS. Defaults to true if a bundle is set.
	 * @param bundle Name of the SSL bundle to use. Without one, the certificates that
	 * Java trusts are trusted.
	 */
	public record Ssl(@Nullable Boolean enabled, @Nullable String bundle) {

		boolean isEnabled() {
			return (this.enabled != null) ? this.enabled : StringUtils.hasText(this.bundle);
		}

	}

	/**
	 * @param peers Kind of lock that plain Curator clients use on the same path.
	 * @param keepParent Whether to keep the parents of the lock's nodes when they are
	 * empty, for clients that create them only once.
	 */
	public record Lock(@DefaultValue("mutex") Peers peers, @DefaultValue("false") boolean keepParent) {

	}

	/**
	 * @param enabled Whether to run a ZooKeeper server inside this JVM, for development
	 * and demos.
	 * @param port Port of the embedded server. Zero picks a free one.
	 * @param dataDir Directory for the data of the embedded server. Defaults to a
	 * temporary one that is deleted on shutdown.
	 */
	public record Embedded(@DefaultValue("false") boolean enabled, @DefaultValue("2181") int port,
			@Nullable Path dataDir) {

	}

	record ConnectionDetails(ZooKeeperProperties properties,
			@Nullable SslBundles sslBundles) implements ZooKeeperConnectionDetails {

		@Override
		public String connectString() {
			return this.properties.connectString();
		}

		@Override
		public @Nullable String username() {
			return this.properties.username();
		}

		@Override
		public @Nullable String password() {
			return this.properties.password();
		}

		@Override
		public @Nullable SslBundle sslBundle() {
			if (!this.properties.ssl().isEnabled()) {
				return null;
			}
			String name = bundleName();
			return (name != null) ? bundle(name) : SslBundle.systemDefault();
		}

		@Nullable String bundleName() {
			String name = this.properties.ssl().bundle();
			return StringUtils.hasText(name) ? name : null;
		}

		private SslBundle bundle(String name) {
			if (this.sslBundles == null) {
				throw invalid(name, "There are no SSL bundles in this application.");
			}
			try {
				return this.sslBundles.getBundle(name);
			}
			catch (NoSuchSslBundleException ex) {
				throw invalid(name,
						"There is no such SSL bundle, only %s. Define it below spring.ssl.bundle.pem.%s or spring.ssl.bundle.jks.%s."
							.formatted(this.sslBundles.getBundleNames(), name, name));
			}
		}

		private static InvalidConfigurationPropertyValueException invalid(String name, String reason) {
			return new InvalidConfigurationPropertyValueException("interlock.zookeeper.ssl.bundle", name, reason);
		}

		void onSslBundleUpdate(Consumer<SslBundle> handler) {
			String name = bundleName();
			if (this.sslBundles != null && this.properties.ssl().isEnabled() && name != null) {
				this.sslBundles.addBundleUpdateHandler(name, handler);
			}
		}

		@Override
		public boolean ensembleTracker() {
			return this.properties.ensembleTracker();
		}

	}

}
