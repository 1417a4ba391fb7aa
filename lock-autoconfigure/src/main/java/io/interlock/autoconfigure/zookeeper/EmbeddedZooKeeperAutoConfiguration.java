package io.interlock.autoconfigure.zookeeper;

import io.interlock.autoconfigure.store.ConditionalOnStore;
import io.interlock.zookeeper.internal.client.EmbeddedZooKeeper;
import io.interlock.zookeeper.internal.client.ZooKeeperStartupException;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Auto-configuration for a ZooKeeper server inside this JVM, for development and demos.
 * Backs off when {@link ZooKeeperConnectionDetails} have a server, as those of a
 * container do.
 *
 * @since 0.1.0
 */
@AutoConfiguration(before = CuratorAutoConfiguration.class,
		afterName = "org.springframework.cloud.zookeeper.ZookeeperAutoConfiguration")
@ConditionalOnClass({ CuratorFramework.class, ZooKeeperServerEmbedded.class, EmbeddedZooKeeper.class })
@ConditionalOnBooleanProperty(name = "interlock.enabled", matchIfMissing = true)
@ConditionalOnStore("zookeeper")
@ConditionalOnBooleanProperty("interlock.zookeeper.embedded.enabled")
@EnableConfigurationProperties(ZooKeeperProperties.class)
public final class EmbeddedZooKeeperAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingBean({ CuratorFramework.class, ZooKeeperConnectionDetails.class })
	static class ServerConfiguration {

		@Bean
		EmbeddedZooKeeper interlockEmbeddedZooKeeper(ZooKeeperProperties properties) {
			return EmbeddedZooKeeper.start(properties.embedded().port(), properties.embedded().dataDir());
		}

		@Bean
		EmbeddedZooKeeperConnectionDetails interlockEmbeddedZooKeeperConnectionDetails(EmbeddedZooKeeper server) {
			return new EmbeddedZooKeeperConnectionDetails(server);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBean(CuratorFramework.class)
	static class ConflictConfiguration {

		ConflictConfiguration(ListableBeanFactory beanFactory) {
			throw new ZooKeeperStartupException(
					"interlock.zookeeper.embedded.enabled is true, but locks would use the application's own ZooKeeper client %s, which does not connect to the embedded server."
						.formatted(CuratorAutoConfiguration.clients(beanFactory)),
					"Remove interlock.zookeeper.embedded.enabled, or remove the CuratorFramework bean so that a client of the embedded server is made.",
					null);
		}

	}

	record EmbeddedZooKeeperConnectionDetails(EmbeddedZooKeeper server) implements ZooKeeperConnectionDetails {

		@Override
		public String connectString() {
			return this.server.connectString();
		}

		@Override
		public boolean ensembleTracker() {
			return false;
		}

	}

}
