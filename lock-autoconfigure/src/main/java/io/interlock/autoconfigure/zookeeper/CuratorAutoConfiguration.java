package io.interlock.autoconfigure.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;

import io.interlock.autoconfigure.store.ConditionalOnStore;
import io.interlock.zookeeper.LockAcl;
import io.interlock.zookeeper.internal.client.OwnClient;
import io.interlock.zookeeper.internal.client.ZooKeeperStartupException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.curator.RetryPolicy;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.BoundedExponentialBackoffRetry;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.annotation.Order;
import org.springframework.util.StringUtils;

/**
 * Auto-configuration for the ZooKeeper client that locks use: the application's own
 * {@link CuratorFramework}, or one that is made from {@code interlock.zookeeper}
 * properties.
 *
 * @since 0.1.0
 */
@AutoConfiguration(afterName = "org.springframework.cloud.zookeeper.ZookeeperAutoConfiguration")
@ConditionalOnClass({ CuratorFramework.class, LockAcl.class })
@ConditionalOnBooleanProperty(name = "interlock.enabled", matchIfMissing = true)
@ConditionalOnStore("zookeeper")
@EnableConfigurationProperties(ZooKeeperProperties.class)
@ImportRuntimeHints(OwnClient.Hints.class)
public final class CuratorAutoConfiguration {

	static List<String> clients(ListableBeanFactory beanFactory) {
		return List.of(beanFactory.getBeanNamesForType(CuratorFramework.class, true, false));
	}

	/** Reports a client of the application. Before {@link OwnClientConfiguration}. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBean(CuratorFramework.class)
	@Order(1)
	static class ApplicationClientConfiguration {

		private static final Log logger = LogFactory.getLog(CuratorAutoConfiguration.class);

		ApplicationClientConfiguration(ListableBeanFactory beanFactory, ZooKeeperProperties properties) {
			List<String> clients = clients(beanFactory);
			if (properties.acl() != LockAcl.OPEN) {
				throw new InvalidConfigurationPropertyValueException("interlock.zookeeper.acl", properties.acl(),
						("It cannot apply to the application's own ZooKeeper client %s, whose ACLs are made by that "
								+ "client's ACLProvider. Let that ACLProvider protect the root path and everything "
								+ "below it, and remove the property.")
							.formatted(clients));
			}
			if (properties.requireSecure()) {
				throw new InvalidConfigurationPropertyValueException("interlock.zookeeper.require-secure", true,
						("The ACL and the encryption of the application's own ZooKeeper client %s cannot be checked. "
								+ "Check them where that client is created, and remove the property.")
							.formatted(clients));
			}
			logger.info("Locks use the application's ZooKeeper client " + clients
					+ "; the connection properties of interlock.zookeeper do not apply to it");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingBean(CuratorFramework.class)
	@Order(2)
	static class OwnClientConfiguration {

		@Bean
		@ConditionalOnMissingBean(ZooKeeperConnectionDetails.class)
		ZooKeeperProperties.ConnectionDetails interlockZooKeeperConnectionDetails(ZooKeeperProperties properties,
				ObjectProvider<SslBundles> sslBundles) {
			return new ZooKeeperProperties.ConnectionDetails(properties, sslBundles.getIfAvailable());
		}

		@Bean
		@ConditionalOnMissingBean(RetryPolicy.class)
		static BoundedExponentialBackoffRetry interlockZooKeeperRetryPolicy() {
			return new BoundedExponentialBackoffRetry(100, 2000, 3);
		}

		@Bean
		OwnClient interlockZooKeeperClient(ZooKeeperConnectionDetails connectionDetails, ZooKeeperProperties properties,
				RetryPolicy retryPolicy, ObjectProvider<CuratorFrameworkCustomizer> customizers) {
			return start(connectionDetails, properties, retryPolicy,
					(builder) -> customizers.orderedStream().forEach((customizer) -> customizer.customize(builder)));
		}

		static OwnClient start(ZooKeeperConnectionDetails connectionDetails, ZooKeeperProperties properties,
				RetryPolicy retryPolicy, Consumer<CuratorFrameworkFactory.Builder> customizer) {
			ZooKeeperProperties.ConnectionDetails own = (connectionDetails instanceof ZooKeeperProperties.ConnectionDetails details)
					? details : null;
			OwnClient client = OwnClient.start(builder(connectionDetails, properties, retryPolicy),
					connectionDetails.sslBundle(), (own != null) ? own.bundleName() : null, (builder) -> {
						customizer.accept(builder);
						checkAuthentication(builder, properties.acl());
						OwnClient.checkSecurity(builder, connectionDetails.connectString(), properties.acl(),
								properties.requireSecure());
					});
			if (own != null) {
				own.onSslBundleUpdate(client::update);
			}
			return client;
		}

		/** A bean for the application; its lifecycle belongs to {@link OwnClient}. */
		@Bean(destroyMethod = "")
		CuratorFramework interlockCuratorFramework(OwnClient client) {
			return client.framework();
		}

		private static CuratorFrameworkFactory.Builder builder(ZooKeeperConnectionDetails details,
				ZooKeeperProperties properties, RetryPolicy retryPolicy) {
			CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
				.connectString(details.connectString())
				.ensembleTracker(details.ensembleTracker())
				.sessionTimeoutMs((int) properties.sessionTimeout().toMillis())
				.connectionTimeoutMs((int) properties.connectionTimeout().toMillis())
				.retryPolicy(retryPolicy);
			if (StringUtils.hasText(details.username())) {
				String credentials = details.username() + ":" + details.password();
				builder.authorization("digest", credentials.getBytes(StandardCharsets.UTF_8));
			}
			if (properties.acl() != LockAcl.OPEN) {
				builder.aclProvider(properties.acl().below(properties.rootPath(), builder::getNamespace));
			}
			return builder;
		}

		private static void checkAuthentication(CuratorFrameworkFactory.Builder builder, LockAcl acl) {
			if (acl != LockAcl.OPEN && !OwnClient.authenticatesItself(builder)) {
				throw new InvalidConfigurationPropertyValueException("interlock.zookeeper.acl", acl,
						"It needs a client that authenticates itself. Set interlock.zookeeper.username and interlock.zookeeper.password, or interlock.zookeeper.ssl.bundle with a key store, or add a 'Client' section for SASL to the JAAS configuration.");
			}
		}

	}

	static class StartupFailureAnalyzer extends AbstractFailureAnalyzer<ZooKeeperStartupException> {

		@Override
		protected FailureAnalysis analyze(Throwable rootFailure, ZooKeeperStartupException cause) {
			return new FailureAnalysis(cause.getMessage(), cause.getAction(), cause);
		}

	}

}
