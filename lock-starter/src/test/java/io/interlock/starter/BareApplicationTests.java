package io.interlock.starter;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.interlock.LockRequest;
import io.interlock.annotation.DistributedLock;
import io.interlock.template.LockContext;
import io.interlock.template.LockTemplate;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests an application that has the starter and nothing else.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
class BareApplicationTests {

	private static final TestingServer server = startServer();

	@Autowired
	private Stock stock;

	@Autowired
	private LockTemplate locks;

	@DynamicPropertySource
	static void connect(DynamicPropertyRegistry registry) {
		registry.add("interlock.zookeeper.connect-string", server::getConnectString);
	}

	@AfterAll
	static void stopServer() throws Exception {
		server.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "org.springframework.boot.actuate.endpoint.annotation.Endpoint",
			"org.springframework.boot.health.contributor.HealthIndicator",
			"io.micrometer.core.instrument.MeterRegistry", "org.springframework.web.context.WebApplicationContext",
			"org.springframework.transaction.TransactionManager", "org.springframework.jdbc.core.JdbcOperations",
			"org.testcontainers.containers.Container" })
	void hasNothingThatIsOptional(String className) {
		assertThat(ClassUtils.isPresent(className, getClass().getClassLoader())).isFalse();
	}

	@Test
	void annotatedMethodRunsUnderItsLock() {
		assertThat(this.stock.reserve("A-1")).isEqualTo("stock[A-1]");
	}

	@Test
	void annotatedMethodWaitsForTemplate() throws Exception {
		ExecutorService other = Executors.newSingleThreadExecutor();
		try {
			Future<String> reserved = this.locks.execute(LockRequest.exclusive("stock").withKey("A-2"), (lock) -> {
				Future<String> blocked = other.submit(() -> this.stock.reserve("A-2"));
				assertThat(this.locks
					.tryAcquire(LockRequest.exclusive("stock").withKey("A-3").withWaitTime(Duration.ofSeconds(30)))
					.map((free) -> {
						free.close();
						return free.id().key();
					})).contains("A-3");
				assertThat(blocked).isNotDone();
				return blocked;
			});
			assertThat(reserved.get()).isEqualTo("stock[A-2]");
		}
		finally {
			other.shutdown();
		}
	}

	private static TestingServer startServer() {
		try {
			return new TestingServer();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@SpringBootApplication
	static class BareApplication {

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

	}

}
