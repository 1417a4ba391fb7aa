package io.interlock.autoconfigure.curator;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;

import io.interlock.curator.ContenderRetryPolicy;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.curator.RetryPolicy;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.util.StringUtils;

/**
 * The ZooKeeper client that is made when the application has none, from its start to its
 * end.
 */
final class OwnClient implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(OwnClient.class);

	/**
	 * At a third of the session timeout the loss is told before the next holder is
	 * granted; at Curator's default it is told long afterwards.
	 */
	private static final int SIMULATED_SESSION_EXPIRATION_PERCENT = 33;

	private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

	private static final Duration CLOSE_TIMEOUT_WITHOUT_SERVER = Duration.ofSeconds(1);

	private final CuratorFramework framework;

	private final ExecutorService notifications;

	private final @Nullable ClientTls tls;

	private OwnClient(CuratorFramework framework, ExecutorService notifications, @Nullable ClientTls tls) {
		this.framework = framework;
		this.notifications = notifications;
		this.tls = tls;
	}

	/**
	 * Build and start the client. Connecting goes on in the background. There is no
	 * {@code zookeeper.request.timeout}: a create that times out in the client may still
	 * succeed in the server, and Curator does not look for such a node afterwards.
	 */
	static OwnClient start(ZooKeeperConnectionDetails details, ZooKeeperProperties properties, RetryPolicy retryPolicy,
			List<CuratorFrameworkCustomizer> customizers) {
		SslBundle sslBundle = details.sslBundle();
		ClientTls tls = (sslBundle != null) ? ClientTls.of(sslBundle) : null;
		ExecutorService notifications = NotificationExecutor.create();
		try {
			CuratorFrameworkFactory.Builder builder = builder(details, properties, retryPolicy, tls)
				.runSafeService(notifications);
			customizers.forEach((customizer) -> customizer.customize(builder));
			ClientAuthentication.check(properties.acl(), builder);
			CuratorFramework framework = builder.build();
			framework.start();
			logger.info("Locks use their own ZooKeeper client, connecting to '%s'%s".formatted(details.connectString(),
					(tls != null) ? " with TLS" : ""));
			return new OwnClient(framework, notifications, tls);
		}
		catch (RuntimeException ex) {
			close(notifications, tls);
			throw ex;
		}
	}

	private static CuratorFrameworkFactory.Builder builder(ZooKeeperConnectionDetails details,
			ZooKeeperProperties properties, RetryPolicy retryPolicy, @Nullable ClientTls tls) {
		CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
			.connectString(details.connectString())
			.ensembleTracker(tls == null && details.ensembleTracker())
			.sessionTimeoutMs((int) properties.sessionTimeout().toMillis())
			.connectionTimeoutMs((int) properties.connectionTimeout().toMillis())
			.simulatedSessionExpirationPercent(SIMULATED_SESSION_EXPIRATION_PERCENT)
			.retryPolicy(new ContenderRetryPolicy(retryPolicy));
		if (StringUtils.hasText(details.username())) {
			String credentials = details.username() + ":" + details.password();
			builder.authorization("digest", credentials.getBytes(StandardCharsets.UTF_8));
		}
		if (tls != null) {
			builder.zkClientConfig(tls.config());
		}
		return builder;
	}

	private static void close(ExecutorService notifications, @Nullable ClientTls tls) {
		notifications.shutdown();
		if (tls != null) {
			tls.close();
		}
	}

	/**
	 * Take over an SSL bundle that has changed. Connections that stand are not touched.
	 * @param sslBundle the new bundle
	 */
	void update(SslBundle sslBundle) {
		if (this.tls != null) {
			this.tls.update(sslBundle);
		}
	}

	CuratorFramework framework() {
		return this.framework;
	}

	/**
	 * Close the session and wait for that as long as it is reasonable: without a server
	 * ZooKeeper's client waits for up to a whole session timeout.
	 */
	@Override
	public void close() {
		boolean connected = this.framework.getZookeeperClient().isConnected();
		Duration timeout = connected ? CLOSE_TIMEOUT : CLOSE_TIMEOUT_WITHOUT_SERVER;
		try {
			if (!new BoundedTask("interlock-zookeeper-close", this.framework::close).run(timeout)) {
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

}
