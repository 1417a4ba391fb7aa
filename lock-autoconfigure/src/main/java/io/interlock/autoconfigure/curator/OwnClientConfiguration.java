package io.interlock.autoconfigure.curator;

import java.util.List;

import org.apache.curator.RetryPolicy;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.retry.BoundedExponentialBackoffRetry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The connection beans, which back off together when the application has a client.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean(CuratorFramework.class)
@EnableConfigurationProperties(ZooKeeperProperties.class)
class OwnClientConfiguration {

	@Bean
	@ConditionalOnMissingBean(ZooKeeperConnectionDetails.class)
	PropertiesZooKeeperConnectionDetails zooKeeperConnectionDetails(ZooKeeperProperties properties,
			ObjectProvider<SslBundles> sslBundles) {
		return new PropertiesZooKeeperConnectionDetails(properties, sslBundles.getIfAvailable());
	}

	@Bean
	@ConditionalOnMissingBean(RetryPolicy.class)
	BoundedExponentialBackoffRetry zooKeeperRetryPolicy(ZooKeeperProperties properties) {
		ZooKeeperProperties.Retry retry = properties.retry();
		return new BoundedExponentialBackoffRetry((int) retry.initialDelay().toMillis(),
				(int) retry.maxDelay().toMillis(), retry.maxRetries());
	}

	@Bean
	OwnClient interlockZooKeeperClient(ZooKeeperConnectionDetails connectionDetails, ZooKeeperProperties properties,
			RetryPolicy retryPolicy, ObjectProvider<CuratorFrameworkCustomizer> customizers) {
		List<CuratorFrameworkCustomizer> ordered = customizers.orderedStream().toList();
		OwnClient client = OwnClient.start(connectionDetails, properties, retryPolicy, ordered);
		if (connectionDetails instanceof PropertiesZooKeeperConnectionDetails details) {
			details.onSslBundleUpdate(client::update);
		}
		return client;
	}

	/**
	 * The client as a bean for everybody; its lifecycle belongs to {@link OwnClient}.
	 */
	@Bean(destroyMethod = "")
	CuratorFramework curatorFramework(OwnClient client) {
		return client.framework();
	}

}
