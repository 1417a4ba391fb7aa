package io.interlock.page;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.interlock.autoconfigure.zookeeper.CuratorFrameworkCustomizer;
import org.apache.curator.framework.AuthInfo;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.zookeeper.client.ZKClientConfig;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The examples of {@code docs/security.md}, {@code docs/migrating.md} and
 * {@code docs/configuration.md}.
 */
final class ClientExamples {

	private ClientExamples() {
	}

	@Configuration(proxyBeanMethods = false)
	static class Security {

		@Bean
		CuratorFrameworkCustomizer formerPassword(@Value("${shop.former-password}") String former) {
			return (builder) -> {
				List<AuthInfo> credentials = new ArrayList<>(builder.getAuthInfos());
				credentials.add(new AuthInfo("digest", ("shop:" + former).getBytes(StandardCharsets.UTF_8)));
				builder.authorization(credentials);
			};
		}

		@Bean
		CuratorFrameworkCustomizer digestLogin() {
			return (builder) -> {
				ZKClientConfig config = (builder.getZkClientConfig() != null) ? builder.getZkClientConfig()
						: new ZKClientConfig();
				config.setProperty("zookeeper.fips-mode", "false");
				// Without FIPS mode ZooKeeper's own trust manager verifies names: not by
				// reverse
				// look-ups.
				config.setProperty("zookeeper.ssl.allowReverseDnsLookup", "false");
				builder.zkClientConfig(config);
			};
		}

	}

	static class Interop {

		void use(CuratorFramework client) throws Exception {
			// interlock.locks of the application: @DistributedLock(name = "stock", key =
			// "#sku")
			InterProcessMutex mutex = new InterProcessMutex(client, "/interlock/stock:A-1");
			if (!mutex.acquire(10, TimeUnit.SECONDS)) {
				throw new IllegalStateException("Another client holds the lock");
			}
			try {
				reserve("A-1", 2);
			}
			finally {
				mutex.release();
			}
		}

		private void reserve(String sku, int amount) {
		}

	}

	static class Migrating {

		private final CuratorFramework client;

		Migrating(CuratorFramework client) {
			this.client = client;
		}

		void use(String sku) throws Exception {
			InterProcessMutex mutex = new InterProcessMutex(this.client, "/locks/stock");
			if (!mutex.acquire(10, TimeUnit.SECONDS)) {
				throw new IllegalStateException("Busy");
			}
			try {
				reserve(sku);
			}
			finally {
				mutex.release();
			}
		}

		private void reserve(String sku) {
		}

	}

	@Testcontainers
	@SpringBootTest
	static class StockServiceIT {

		@Container
		@ServiceConnection
		static GenericContainer<?> zooKeeper = new GenericContainer<>("zookeeper:3.9.5").withExposedPorts(2181);

	}

}
