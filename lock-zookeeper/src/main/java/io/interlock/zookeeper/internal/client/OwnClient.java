package io.interlock.zookeeper.internal.client;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.security.auth.login.Configuration;

import io.interlock.internal.LockThreads;
import io.interlock.zookeeper.LockAcl;
import io.interlock.zookeeper.internal.session.TimedZooKeeper;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.curator.framework.AuthInfo;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.framework.imps.DefaultACLProvider;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.ClientCnxnSocketNIO;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.server.quorum.MultipleAddresses;
import org.apache.zookeeper.server.quorum.QuorumPeer;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.util.CollectionUtils;
import org.springframework.util.StringUtils;

/**
 * The ZooKeeper client of an application that has none of its own.
 *
 * @since 0.1.0
 */
public final class OwnClient implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(OwnClient.class);

	private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

	private static final Duration CLOSE_TIMEOUT_WITHOUT_SERVER = Duration.ofSeconds(1);

	private static final Weakness OPEN_LOCKS = new Weakness(
			"locks are open to every client, because interlock.zookeeper.acl is open. An attacker that reaches "
					+ "ZooKeeper can delete the node of a holder, so that two instances hold one lock, and can add a node "
					+ "that blocks a lock for every instance.",
			"Set interlock.zookeeper.acl=creator-all, and interlock.zookeeper.username with "
					+ "interlock.zookeeper.password, in all instances (docs/security.md says how to change a running "
					+ "system).");

	private static final Weakness CLEAR_PASSWORD = new Weakness(
			"interlock.zookeeper.password is sent without TLS. An attacker on the network reads the password, and can "
					+ "then do with locks what this application can.",
			"Set interlock.zookeeper.ssl.bundle, and interlock.zookeeper.connect-string to the ports for TLS of the "
					+ "servers.");

	/**
	 * Addresses of this machine that need no name service, whose answer could be false.
	 */
	private static final Pattern LOOPBACK = Pattern
		.compile("(.+\\.)?localhost|127(\\.\\d{1,3}){3}|\\[?(::1|0:0:0:0:0:0:0:1)]?");

	private final CuratorFramework framework;

	private final ACLProvider aclProvider;

	private final ExecutorService notifications;

	private final @Nullable ClientTls tls;

	private final boolean encrypted;

	private final @Nullable String bundleName;

	private final long startedAt;

	private volatile boolean hadSession;

	private OwnClient(CuratorFramework framework, ACLProvider aclProvider, ExecutorService notifications,
			@Nullable ClientTls tls, boolean encrypted, @Nullable String bundleName, long startedAt) {
		this.framework = framework;
		this.aclProvider = aclProvider;
		this.notifications = notifications;
		this.tls = tls;
		this.encrypted = encrypted;
		this.bundleName = bundleName;
		this.startedAt = startedAt;
		framework.getConnectionStateListenable().addListener((client, state) -> {
			if (state.isConnected()) {
				this.hadSession = true;
			}
		});
	}

	/**
	 * Build and start a client, which connects in the background. The customizer has the
	 * last word on the builder. There is no {@code zookeeper.request.timeout}: a create
	 * that times out may still succeed, and Curator does not look for its node.
	 */
	public static OwnClient start(CuratorFrameworkFactory.Builder builder, @Nullable SslBundle sslBundle,
			@Nullable String bundleName, Consumer<CuratorFrameworkFactory.Builder> customizer) {
		ClientTls tls = (sslBundle != null) ? ClientTls.of(sslBundle, bundleName) : null;
		ExecutorService notifications = notificationExecutor();
		try {
			builder.runSafeService(notifications)
				.zkClientConfig(new Settings())
				.zookeeperFactory(TimedZooKeeper.factory());
			if (tls != null) {
				// The configuration of an ensemble has the ports for clients without TLS.
				builder.zkClientConfig(tls.config()).ensembleTracker(false);
			}
			customizer.accept(builder);
			CuratorFramework framework = builder.build();
			ZKClientConfig config = configOf(builder);
			OwnClient client = new OwnClient(framework, builder.getAclProvider(), notifications, tls,
					config.getBoolean(ZKClientConfig.SECURE_CLIENT),
					(tls != null && config == tls.config()) ? bundleName : null, System.nanoTime());
			framework.start();
			logger.info("Locks use their own ZooKeeper client, connecting to '%s'%s".formatted(
					framework.getZookeeperClient().getCurrentConnectionString(), (tls != null) ? " with TLS" : ""));
			return client;
		}
		catch (RuntimeException ex) {
			close(notifications, tls);
			throw ex;
		}
	}

	/**
	 * Create the thread on which Curator calls back: 5.9.0 never stops the one that it
	 * makes itself. Notifications after the shutdown run on the thread that sends them,
	 * because dropping them would leave threads waiting.
	 */
	private static ExecutorService notificationExecutor() {
		ThreadPoolExecutor thread = LockThreads.LISTEN.pools("zookeeper").single();
		thread.setRejectedExecutionHandler((task, executor) -> task.run());
		return thread;
	}

	/**
	 * Return whether a client will have credentials. Without any, ZooKeeper lets it
	 * connect and refuses the first node whose ACL names its creator.
	 */
	public static boolean authenticatesItself(CuratorFrameworkFactory.Builder builder) {
		ZKClientConfig config = configOf(builder);
		return !CollectionUtils.isEmpty(builder.getAuthInfos()) || hasCertificate(config) || hasLogin(config);
	}

	/**
	 * Report what an attacker on the network could do, or refuse to start. Servers on the
	 * loopback interface alone, as in development, need no report. Call it after all
	 * customizers.
	 */
	public static void checkSecurity(CuratorFrameworkFactory.Builder builder, String connectString, LockAcl acl,
			boolean required) {
		List<Weakness> weaknesses = isLoopback(connectString) ? List.of() : weaknesses(builder, acl);
		if (required && !weaknesses.isEmpty()) {
			throw new ZooKeeperStartupException(
					"interlock.zookeeper.require-secure is true, but with ZooKeeper at '%s' %s".formatted(connectString,
							join(weaknesses.stream().map(Weakness::risk).toList())),
					join(weaknesses.stream().map(Weakness::remedy).toList()), null);
		}
		for (Weakness weakness : weaknesses) {
			logger.warn("With ZooKeeper at '%s' %s %s".formatted(connectString, weakness.risk(), weakness.remedy()));
		}
	}

	private static String join(List<String> sentences) {
		return String.join(" Also, ", sentences);
	}

	private static List<Weakness> weaknesses(CuratorFrameworkFactory.Builder builder, LockAcl acl) {
		List<Weakness> weaknesses = new ArrayList<>();
		if (acl == LockAcl.OPEN && builder.getAclProvider() instanceof DefaultACLProvider) {
			weaknesses.add(OPEN_LOCKS);
		}
		if (sendsPassword(builder) && !configOf(builder).getBoolean(ZKClientConfig.SECURE_CLIENT)) {
			weaknesses.add(CLEAR_PASSWORD);
		}
		return weaknesses;
	}

	private static boolean sendsPassword(CuratorFrameworkFactory.Builder builder) {
		List<AuthInfo> credentials = builder.getAuthInfos();
		return credentials != null && credentials.stream().anyMatch((auth) -> auth.getScheme().equals("digest"));
	}

	private static boolean isLoopback(String connectString) {
		return new ConnectStringParser(connectString).getServerAddresses()
			.stream()
			.map(InetSocketAddress::getHostString)
			.allMatch((host) -> LOOPBACK.matcher(host.toLowerCase(Locale.ROOT)).matches());
	}

	private static ZKClientConfig configOf(CuratorFrameworkFactory.Builder builder) {
		ZKClientConfig config = builder.getZkClientConfig();
		return (config != null) ? config : new Settings();
	}

	private static boolean hasCertificate(ZKClientConfig config) {
		return config.getBoolean(ZKClientConfig.SECURE_CLIENT)
				&& StringUtils.hasText(config.getProperty("zookeeper.ssl.keyStore.location"));
	}

	private static boolean hasLogin(ZKClientConfig config) {
		String section = config.getProperty(ZKClientConfig.LOGIN_CONTEXT_NAME_KEY,
				ZKClientConfig.LOGIN_CONTEXT_NAME_KEY_DEFAULT);
		try {
			return config.isSaslClientEnabled()
					&& Configuration.getConfiguration().getAppConfigurationEntry(section) != null;
		}
		catch (SecurityException ex) {
			// There is no JAAS configuration, or none that can be read.
			return false;
		}
	}

	public void update(SslBundle sslBundle) {
		if (this.tls != null) {
			this.tls.update(sslBundle);
		}
	}

	public CuratorFramework framework() {
		return this.framework;
	}

	/** Return a {@link System#nanoTime()} from before the first session. */
	public long startedAt() {
		return this.startedAt;
	}

	public ACLProvider aclProvider() {
		return this.aclProvider;
	}

	boolean isEncrypted() {
		return this.encrypted;
	}

	/** Describe the encryption for a message; empty without one. */
	String encryption() {
		String bundle = (this.bundleName != null) ? " and the SSL bundle '%s'".formatted(this.bundleName) : "";
		return this.encrypted ? " with TLS" + bundle : "";
	}

	/** Close the session, without a server sooner than ZooKeeper's client would. */
	@Override
	public void close() {
		boolean connected = this.framework.getZookeeperClient().isConnected();
		Duration timeout = connected ? CLOSE_TIMEOUT : CLOSE_TIMEOUT_WITHOUT_SERVER;
		try {
			if (!EmbeddedZooKeeper.BoundedTask.run((task) -> LockThreads.WORKER.thread("close", task), timeout,
					this.framework::close) && (connected || this.hadSession)) {
				logger.warn("ZooKeeper did not answer when the client was closed; "
						+ "its session ends by itself within the session timeout");
			}
		}
		catch (ExecutionException ex) {
			logger.warn("Failed to close the ZooKeeper client", ex.getCause());
		}
		finally {
			close(this.notifications, this.tls);
		}
	}

	private static void close(ExecutorService notifications, @Nullable ClientTls tls) {
		notifications.shutdown();
		if (tls != null) {
			tls.close();
		}
	}

	/**
	 * The system properties of ZooKeeper's client. To learn the names of the TLS
	 * properties, ZooKeeper loads its TLS classes, and with them every certificate that
	 * the JVM trusts. So the TLS properties are read only if one of them is set.
	 */
	static final class Settings extends ZKClientConfig {

		private static final Pattern TLS = Pattern.compile("zookeeper\\.(client\\.secure|fips-mode|ssl\\..+)");

		@Override
		protected void handleBackwardCompatibility() {
			Set<String> names = System.getProperties().stringPropertyNames();
			if (names.stream().anyMatch((name) -> TLS.matcher(name).matches())) {
				super.handleBackwardCompatibility();
				return;
			}
			Stream
				.of(JUTE_MAXBUFFER, KINIT_COMMAND, JGSS_NATIVE, ZK_SASL_CLIENT_USERNAME,
						ZK_SASL_CLIENT_CANONICALIZE_HOSTNAME, LOGIN_CONTEXT_NAME_KEY, ENABLE_CLIENT_SASL_KEY,
						ZOOKEEPER_SERVER_REALM, DISABLE_AUTO_WATCH_RESET, ZOOKEEPER_CLIENT_CNXN_SOCKET)
				.filter(names::contains)
				.forEach((name) -> setProperty(name, System.getProperty(name)));
		}

	}

	private record Weakness(String risk, String remedy) {
	}

	/** What ZooKeeper and Curator look up by name: sockets, and signs of versions. */
	public static final class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.reflection()
				.registerType(ClientCnxnSocketNIO.class, MemberCategory.INVOKE_DECLARED_CONSTRUCTORS)
				.registerTypeIfPresent(classLoader, ClientTls.SOCKET, MemberCategory.INVOKE_DECLARED_CONSTRUCTORS)
				.registerType(AddWatchMode.class)
				.registerType(MultipleAddresses.class, MemberCategory.INVOKE_PUBLIC_METHODS)
				.registerType(QuorumPeer.QuorumServer.class, MemberCategory.ACCESS_PUBLIC_FIELDS);
		}

	}

}
