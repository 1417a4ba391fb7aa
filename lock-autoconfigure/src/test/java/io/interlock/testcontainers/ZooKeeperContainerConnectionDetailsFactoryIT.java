package io.interlock.testcontainers;

import java.util.concurrent.TimeUnit;

import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.CuratorAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.EmbeddedZooKeeperAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.ZooKeeperConnectionDetails;
import io.interlock.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;
import io.interlock.testsupport.docker.EnabledIfDocker;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ZooKeeperContainerConnectionDetailsFactory} against a real container.
 * The embedded server is on, to show that the container comes first.
 */
@EnabledIfDocker(image = ZooKeeperContainer.NAME)
@Testcontainers
@DirtiesContext
@SpringJUnitConfig
@TestPropertySource(properties = { "interlock.zookeeper.connect-string=localhost:1",
		"interlock.zookeeper.embedded.enabled=true", "interlock.startup-timeout=20s" })
class ZooKeeperContainerConnectionDetailsFactoryIT {

	@Container
	@ServiceConnection
	static final GenericContainer<?> zooKeeper = new GenericContainer<>(ZooKeeperContainer.IMAGE)
		.withExposedPorts(ZooKeeperContainer.PORT)
		.waitingFor(new ServingWaitStrategy());

	@Autowired
	private ZooKeeperConnectionDetails connectionDetails;

	@Autowired
	private CuratorFramework client;

	@Test
	void connectionDetailsSayWhereContainerListens() {
		assertThat(this.connectionDetails.connectString())
			.isEqualTo(zooKeeper.getHost() + ":" + zooKeeper.getMappedPort(ZooKeeperContainer.PORT));
		assertThat(this.connectionDetails.ensembleTracker()).isFalse();
	}

	@Test
	void clientIsConnectedToContainer() throws Exception {
		assertThat(this.client.blockUntilConnected(10, TimeUnit.SECONDS)).isTrue();
		assertThat(this.client.checkExists().forPath("/interlock")).isNotNull();
		assertThat(this.client.getZookeeperClient().getCurrentConnectionString())
			.isEqualTo(this.connectionDetails.connectString());
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ CuratorAutoConfiguration.class, EmbeddedZooKeeperAutoConfiguration.class,
			InterlockAutoConfiguration.class, ZooKeeperLockAutoConfiguration.class })
	static class Application {

	}

}
