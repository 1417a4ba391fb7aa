package io.interlock.springcloud;

import java.io.IOException;

import io.interlock.template.LockOperations;
import org.apache.curator.RetryPolicy;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.zookeeper.ZookeeperAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests for applications that have Spring Cloud Zookeeper, with every auto-configuration
 * of both.
 */
@ExtendWith(OutputCaptureExtension.class)
class SpringCloudZookeeperTests {

	private static TestingServer server;

	@BeforeAll
	static void start() throws Exception {
		server = new TestingServer();
	}

	@AfterAll
	static void stop() throws IOException {
		server.close();
	}

	@Test
	void usesClientOfSpringCloud(CapturedOutput output) throws Exception {
		try (ConfigurableApplicationContext context = run("interlock.startup-timeout=20s",
				"interlock.zookeeper.connect-string=localhost:1")) {
			String[] clients = context.getBeanNamesForType(CuratorFramework.class);
			assertThat(clients).hasSize(1);
			assertThat(context.getBeanFactory().getBeanDefinition(clients[0]).getFactoryBeanName())
				.isEqualTo(ZookeeperAutoConfiguration.class.getName());
			assertThat(context.getBeanNamesForType(RetryPolicy.class)).hasSize(1);
			assertThat(context.getBeanNamesForType(LockOperations.class)).hasSize(1);
			CuratorFramework client = context.getBean(CuratorFramework.class);
			assertThat(client.checkExists().forPath("/interlock")).isNotNull();
			assertThat(output)
				.containsOnlyOnce("Locks use the application's ZooKeeper client [%s]".formatted(clients[0]));
		}
	}

	@Test
	void makesItsOwnClientWhenSpringCloudZookeeperIsDisabled(CapturedOutput output) {
		try (ConfigurableApplicationContext context = run("spring.cloud.zookeeper.enabled=false",
				"interlock.zookeeper.connect-string=" + server.getConnectString())) {
			assertThat(context.getBeanNamesForType(CuratorFramework.class))
				.containsExactly("interlockCuratorFramework");
			assertThat(output).containsOnlyOnce("Locks use their own ZooKeeper client");
		}
	}

	@Test
	void refusesEmbeddedServerBesideClientOfSpringCloud(CapturedOutput output) {
		assertThatException().isThrownBy(() -> run("interlock.zookeeper.embedded.enabled=true"));
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("interlock.zookeeper.embedded.enabled is true, but locks would use the application's own");
	}

	private static ConfigurableApplicationContext run(String... properties) {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("spring.cloud.compatibility-verifier.enabled=false",
					"spring.cloud.zookeeper.connect-string=" + server.getConnectString())
			.properties(properties)
			.run();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
