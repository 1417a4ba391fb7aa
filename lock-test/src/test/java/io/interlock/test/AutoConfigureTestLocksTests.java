package io.interlock.test;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;

import io.interlock.LockLostException;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.autoconfigure.zookeeper.ZooKeeperConnectionDetails;
import io.interlock.leader.LeaderElection;
import io.interlock.leader.Leadership;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockProvider;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.autoconfigure.json.JsonTest;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link AutoConfigureTestLocks}.
 */
class AutoConfigureTestLocksTests {

	@Nested
	@SpringBootTest(classes = Application.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
	@TestPropertySource(properties = { "interlock.provider=zookeeper", "interlock.enabled=false",
			"interlock.zookeeper.connect-string=localhost:1", "interlock.zookeeper.embedded.enabled=true" })
	@AutoConfigureTestLocks
	class WholeApplication {

		@Autowired
		private BoxOffice boxOffice;

		@Autowired
		private TestLocks locks;

		@Test
		void takesItsLocks() {
			assertThat(this.boxOffice.sell(42, () -> assertThat(this.locks).holds("seats", 42))).isEqualTo("sold 42");
			assertThat(this.locks).acquired("seats", 42).times(1).holdsNothing();
		}

		@Test
		void isRefusedWhatIsBusy() {
			this.locks.busy("seats", 42);
			this.locks.busy("settlement");
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> sell(42));
			assertThat(this.boxOffice.settle()).isNull();
			assertThat(this.locks).notAcquired("seats").refused("settlement");
		}

		@Test
		void failsInAnOutage() {
			this.locks.unavailable();
			assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(() -> sell(42));
		}

		@Test
		void hearsOfALoss() {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> this.boxOffice.sell(42, () -> this.locks.lose("seats", 42)));
			assertThat(this.locks).lost("seats", 42);
		}

		@Test
		void losesALeadership(@Autowired LeaderElection election) {
			try (Leadership leadership = election.join("billing")) {
				await().until(leadership::isLeader);
				long token = leadership.token();
				this.locks.lose("leader", "billing");
				await().until(() -> leadership.isLeader() && leadership.token() > token);
				this.locks.unavailable();
				assertThat(this.boxOffice.bill()).isNull();
			}
		}

		@Test
		void startsNothingOfZooKeeper(@Autowired ApplicationContext context) {
			assertThat(context.getBeanNamesForType(CuratorFramework.class)).isEmpty();
			assertThat(context.getBeanNamesForType(ZooKeeperConnectionDetails.class)).isEmpty();
			assertThat(context.getBeanNamesForType(InMemoryLockProvider.class)).hasSize(1);
		}

		private String sell(int seat) {
			return this.boxOffice.sell(seat, () -> {
			});
		}

	}

	@Nested
	@SpringBootTest(classes = { Application.class, OwnProvider.class },
			webEnvironment = SpringBootTest.WebEnvironment.NONE)
	@TestedWithLocks
	class ApplicationWithAProviderOfItsOwn {

		@Test
		void doesNotUseIt(@Autowired BoxOffice boxOffice, @Autowired TestLocks locks) {
			assertThat(boxOffice.settle()).isEqualTo("settled");
			assertThat(locks).acquired("settlement");
		}

	}

	@Nested
	@JsonTest
	@Import(BoxOffice.class)
	@AutoConfigureTestLocks
	class SliceThatKnowsNothingOfLocks {

		@Test
		void takesItsLocks(@Autowired BoxOffice boxOffice, @Autowired TestLocks locks) {
			assertThat(boxOffice.settle()).isEqualTo("settled");
			assertThat(locks).acquired("settlement").times(1);
		}

		@Test
		void hasNoBeansOfOtherFeatures(@Autowired ApplicationContext context) {
			assertThat(List.of(context.getBeanDefinitionNames()))
				.noneMatch((name) -> name.contains("dispatcherServlet"));
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@AutoConfigureTestLocks
	@interface TestedWithLocks {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(BoxOffice.class)
	static class Application {

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnProvider implements LockProvider {

		@Override
		public LockAttempt attempt(LockRequest request, LockCaller owner) {
			throw new IllegalStateException("Not to be used");
		}

	}

}
