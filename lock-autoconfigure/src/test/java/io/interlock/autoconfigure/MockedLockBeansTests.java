package io.interlock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import io.interlock.LockException;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.autoconfigure.zookeeper.CuratorAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;
import io.interlock.provider.LockProvider;
import io.interlock.template.LockOperations;
import io.interlock.template.LockOutcome;
import io.interlock.template.LockTemplate;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.mockingDetails;
import static org.mockito.Mockito.reset;

/**
 * Tests with a mock in place of a bean of this library: annotated methods fail, and never
 * return without having run.
 */
class MockedLockBeansTests {

	@Nested
	@SpringBootTest(classes = Application.class, properties = "interlock.provider=memory")
	class MockedOperations {

		@MockitoBean
		private LockOperations operations;

		@Autowired
		private Office office;

		@Test
		void annotatedMethodsSayThatTheyHaveNotRun() {
			assertSaysThatItHasNotRun(this.operations, this.office);
		}

	}

	@Nested
	@SpringBootTest(classes = Application.class, properties = "interlock.provider=memory")
	class MockedTemplate {

		@MockitoBean
		private LockTemplate template;

		@Autowired
		private Office office;

		@Test
		void annotatedMethodsSayThatTheyHaveNotRun() {
			assertSaysThatItHasNotRun(this.template, this.office);
		}

	}

	@Nested
	@MockitoBean(types = LockOperations.class)
	@SpringBootTest(classes = Application.class, properties = "interlock.provider=memory")
	class OperationsMockedOnTheClass {

		@Autowired
		private LockOperations operations;

		@Autowired
		private Office office;

		@Test
		void annotatedMethodsSayThatTheyHaveNotRun() {
			assertSaysThatItHasNotRun(this.operations, this.office);
		}

	}

	@Nested
	@SpringBootTest(classes = { Application.class, MockOfTheApplication.class },
			properties = "interlock.provider=memory")
	class MockedOperationsOfTheApplication {

		@Autowired
		private Office office;

		@Test
		void annotatedMethodsSayThatTheyHaveNotRun() {
			assertThatIllegalStateException().isThrownBy(this.office::sell)
				.withMessageContaining("without having run " + Office.class.getName() + ".sell()");
			assertThatIllegalStateException().isThrownBy(this.office::close).withMessageContaining(".close()");
			assertThatIllegalStateException().isThrownBy(this.office::settle).withMessageContaining(".settle()");
		}

	}

	@Nested
	@SpringBootTest(classes = { Application.class, MockOfTheApplication.class },
			properties = "interlock.provider=memory")
	class StubbedOperationsOfTheApplication {

		@Autowired
		private LockOperations operations;

		@Autowired
		private Office office;

		@BeforeEach
		void answerWithoutRunning() {
			given(this.operations.execute(any(), any())).willReturn("stub");
			given(this.operations.tryExecute(any(), any())).willReturn(LockOutcome.acquired("stub"));
			given(this.operations.executeAll(any(), any())).willReturn("stub");
			given(this.operations.executeAsync(any(), any())).willReturn(CompletableFuture.completedFuture("stub"));
		}

		/** Another class shares the context, and with it the mock. */
		@AfterEach
		void forgetStubs() {
			reset(this.operations);
		}

		@Test
		void annotatedMethodsSayThatTheyHaveNotRun() {
			assertSaysThatItHasNotRun(".sell()", this.office::sell);
			assertSaysThatItHasNotRun(".close()", this.office::close);
			assertSaysThatItHasNotRun(".settle()", this.office::settle);
			assertSaysThatItHasNotRun(".transfer()", this.office::transfer);
		}

		@Test
		void deferredMethodsSayThatTheyHaveNotRun() {
			assertThat(this.office.book()).failsWithin(Duration.ofSeconds(10))
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(IllegalStateException.class)
				.withMessageContaining("without having run " + Office.class.getName() + ".book()")
				.withMessageContaining("LockOperations$MockitoMock");
			assertSaysThatItHasNotRun(".charge()", () -> this.office.charge().block(Duration.ofSeconds(10)));
		}

		@Test
		void refusalThatWasAskedForSkips() {
			given(this.operations.tryExecute(any(), any())).willReturn(LockOutcome.notAcquired());
			assertThat(this.office.settle()).isNull();
		}

		private static void assertSaysThatItHasNotRun(String method, ThrowingCallable call) {
			assertThatIllegalStateException().isThrownBy(call)
				.withMessageContaining("without having run " + Office.class.getName() + method)
				.withMessageContaining("LockOperations$MockitoMock");
		}

	}

	@Nested
	@SpringBootTest(classes = Application.class, properties = "interlock.provider=memory")
	class MockedProvider {

		@MockitoBean
		private LockProvider provider;

		@Autowired
		private Office office;

		@Test
		void startsAndFailsLoudly() {
			assertIsMockThatFailsLoudly(this.provider, this.office);
		}

	}

	/** Its client, which nothing answers, is not to outlive it. */
	@Nested
	@DirtiesContext
	@SpringBootTest(classes = Application.class, properties = "interlock.zookeeper.connect-string=localhost:1")
	class MockedProviderInPlaceOfZooKeeper {

		@MockitoBean
		private LockProvider provider;

		@Autowired
		private Office office;

		@Test
		void startsAndFailsLoudly() {
			assertIsMockThatFailsLoudly(this.provider, this.office);
		}

	}

	@Nested
	@MockitoBean(types = LockProvider.class)
	@SpringBootTest(classes = Application.class, properties = "interlock.provider=memory")
	class ProviderMockedOnTheClass {

		@Autowired
		private LockProvider provider;

		@Autowired
		private Office office;

		@Test
		void startsAndFailsLoudly() {
			assertIsMockThatFailsLoudly(this.provider, this.office);
		}

	}

	private static void assertSaysThatItHasNotRun(LockOperations operations, Office office) {
		assertThat(mockingDetails(operations).isMock()).isTrue();
		assertThatIllegalStateException().isThrownBy(office::sell)
			.withMessageContaining("without having run " + Office.class.getName() + ".sell()")
			.withMessageContaining(operations.getClass().getName());
		assertThatIllegalStateException().isThrownBy(office::settle).withMessageContaining(".settle()");
		assertThat(mockingDetails(operations).getInvocations()).hasSize(2);
	}

	private static void assertIsMockThatFailsLoudly(LockProvider provider, Office office) {
		assertThat(mockingDetails(provider).isMock()).isTrue();
		assertThatExceptionOfType(LockException.class).isThrownBy(office::sell).withMessageContaining("sales");
		assertThatExceptionOfType(LockException.class).isThrownBy(office::settle).withMessageContaining("sales");
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ CuratorAutoConfiguration.class, InterlockAutoConfiguration.class,
			ZooKeeperLockAutoConfiguration.class, LockAnnotationsAutoConfiguration.class,
			LockMetricsAutoConfiguration.class, MetricsAutoConfiguration.class,
			CompositeMeterRegistryAutoConfiguration.class, SimpleMetricsExportAutoConfiguration.class,
			LockHealthContributorAutoConfiguration.class, LocksEndpointAutoConfiguration.class })
	static class Application {

		@Bean
		Office office() {
			return new Office();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MockOfTheApplication {

		@Bean
		LockOperations operations() {
			return mock(LockOperations.class);
		}

	}

	static class Office {

		@DistributedLock(name = "sales", waitTime = "20ms")
		public String sell() {
			return "sold";
		}

		@DistributedLock(name = "sales", waitTime = "20ms")
		public void close() {
		}

		@DistributedLock(name = "sales", waitTime = "20ms", onContention = ContentionPolicy.SKIP)
		public String settle() {
			return "settled";
		}

		@DistributedLock(name = "sales", keys = { "'a'", "'b'" }, waitTime = "20ms")
		public String transfer() {
			return "transferred";
		}

		@DistributedLock(name = "sales", waitTime = "20ms")
		public CompletableFuture<String> book() {
			return CompletableFuture.completedFuture("booked");
		}

		@DistributedLock(name = "sales", waitTime = "20ms")
		public Mono<String> charge() {
			return Mono.just("charged");
		}

	}

}
