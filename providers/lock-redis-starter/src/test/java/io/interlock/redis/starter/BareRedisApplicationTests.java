package io.interlock.redis.starter;

import io.interlock.LockRequest;
import io.interlock.annotation.DistributedLock;
import io.interlock.annotation.DistributedSemaphore;
import io.interlock.annotation.ReadLock;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.LockContext;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.redis.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests an application that has the starter, and neither Curator nor ZooKeeper.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE,
		properties = { "interlock.redis.lease=30s", "management.endpoints.web.exposure.include=*" })
class BareRedisApplicationTests {

	private static RedisServer server;

	@Autowired
	private Stock stock;

	@Autowired
	private LockTemplate locks;

	@Autowired
	@Qualifier("interlockQueueingLockProvider")
	private QueueingLockProvider queue;

	@BeforeAll
	static void startServer() {
		server = RedisServer.start();
	}

	@DynamicPropertySource
	static void connect(DynamicPropertyRegistry properties) {
		properties.add("spring.data.redis.host", () -> "127.0.0.1");
		properties.add("spring.data.redis.port", () -> server.port());
	}

	@AfterAll
	static void stopServer() {
		if (server != null) {
			server.close();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "org.apache.curator.framework.CuratorFramework", "org.apache.zookeeper.ZooKeeper",
			"io.interlock.zookeeper.ZooKeeperSession" })
	void hasNothingOfZooKeeper(String className) {
		assertThat(ClassUtils.isPresent(className, getClass().getClassLoader())).isFalse();
	}

	@Test
	void redisIsTheDefault(@Autowired LeaseLockProvider provider) {
		assertThat(provider.capabilities().survivesFailOver()).isFalse();
	}

	@Test
	void annotatedMethodsRunUnderTheirLocks() {
		assertThat(this.stock.reserve("A-1")).isEqualTo("stock[A-1]");
		assertThat(this.stock.count("A-1")).isEqualTo("stock[A-1]");
		assertThat(this.stock.print()).isEqualTo("printers");
		assertThat(server.command("EXISTS", "interlock:{stock:A-1}")).containsExactly("1");
	}

	@Test
	void queueOfThisInstanceIsInFront() {
		this.locks.executeWithoutResult(LockRequest.exclusive("front"),
				(lock) -> assertThat(this.queue.queues()).extracting((each) -> each.id().name()).contains("front"));
	}

	@SpringBootApplication
	static class BareRedisApplication {

		@Bean
		Stock stock() {
			return new Stock();
		}

	}

	static class Stock {

		@DistributedLock(name = "stock", key = "#sku")
		String reserve(String sku) {
			return LockContext.current().id().toString();
		}

		@ReadLock(name = "stock", key = "#sku")
		String count(String sku) {
			return LockContext.current().id().toString();
		}

		@DistributedSemaphore(name = "printers", permits = "2")
		String print() {
			return LockContext.current().id().toString();
		}

	}

}
