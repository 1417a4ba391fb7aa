package io.interlock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.annotation.DistributedLock;
import io.interlock.autoconfigure.zookeeper.CuratorAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.EmbeddedZooKeeperAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.ZooKeeperConnectionDetails;
import io.interlock.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;
import io.interlock.health.ZooKeeperHealthIndicator;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.metrics.MicrometerLockListener;
import io.interlock.metrics.LockStoreMetrics;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import io.interlock.template.LockContext;
import io.interlock.template.LockOperations;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.thread.Background;
import io.interlock.zookeeper.ZooKeeperSession;
import io.interlock.zookeeper.internal.client.StartupCheck;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@code interlock.provider}, and for what else switches exclusion off.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockProviderChoiceTests {

	private static final LockRequest SALES = LockRequest.exclusive("sales").withWaitTime(Duration.ZERO);

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(EmbeddedZooKeeperAutoConfiguration.class,
				CuratorAutoConfiguration.class, InterlockAutoConfiguration.class, ZooKeeperLockAutoConfiguration.class,
				LockAnnotationsAutoConfiguration.class, LockMetricsAutoConfiguration.class,
				LocksEndpointAutoConfiguration.class, LockHealthContributorAutoConfiguration.class))
		.withPropertyValues("interlock.zookeeper.connect-string=localhost:1")
		.withBean(SimpleMeterRegistry.class)
		.withBean(Office.class);

	@Test
	void zooKeeperIsUsedWhereItIsTheOnlyStore(CapturedOutput output) {
		this.contextRunner.run((context) -> {
			assertThat(context).hasSingleBean(CuratorFramework.class)
				.hasSingleBean(ZooKeeperSession.class)
				.hasSingleBean(ZooKeeperHealthIndicator.class)
				.doesNotHaveBean(InMemoryLockProvider.class);
		});
		assertThat(warnings(output)).isEmpty();
		assertThat(output).containsOnlyOnce("Locks come from ZooKeeper. Supported: exclusive");
	}

	@Test
	void memoryStartsNothingOfZooKeeper(CapturedOutput output) {
		this.contextRunner.withPropertyValues("interlock.provider=memory", "interlock.zookeeper.embedded.enabled=true")
			.run((context) -> {
				assertThat(context).hasSingleBean(InMemoryLockProvider.class).hasSingleBean(LockTemplate.class);
				for (Class<?> type : new Class<?>[] { CuratorFramework.class, ZooKeeperConnectionDetails.class,
						ZooKeeperSession.class, StartupCheck.class, ZooKeeperHealthIndicator.class,
						LockStoreMetrics.class }) {
					assertThat(context).doesNotHaveBean(type);
				}
				assertThat(context).hasSingleBean(MicrometerLockListener.class);
			});
		assertThat(warnings(output)).singleElement().asString().contains("memory of this JVM");
	}

	@Test
	void memoryLeavesTheClientOfTheApplicationAlone(CapturedOutput output) {
		CuratorFramework client = mock(CuratorFramework.class);
		this.contextRunner.withPropertyValues("interlock.provider=memory", "interlock.zookeeper.acl=creator-all")
			.withBean("mine", CuratorFramework.class, () -> client)
			.run((context) -> {
				assertThat(context).hasSingleBean(InMemoryLockProvider.class).doesNotHaveBean(ZooKeeperSession.class);
				then(client).shouldHaveNoInteractions();
			});
		assertThat(output).doesNotContain("Locks use");
	}

	@Test
	void memoryExcludesOtherThreadsAndOtherInstances() {
		this.contextRunner.withPropertyValues("interlock.provider=memory").run((context) -> {
			assertThat(context.getBean(Office.class).sell()).isPositive();
			try (LockHandle held = context.getBean(LockTemplate.class).acquire(SALES)) {
				assertThat(held.isValid()).isTrue();
				assertThat(Background.call(() -> tryOnce(context))).isEmpty();
				assertThat(attempt(context)).isEmpty();
			}
			LockGrant another = attempt(context).orElseThrow();
			assertThat(tryOnce(context)).isEmpty();
			another.release();
			assertThat(tryOnce(context)).isPresent();
		});
	}

	@Test
	void contextsDoNotShareTheirMemory() {
		ApplicationContextRunner memory = this.contextRunner.withPropertyValues("interlock.provider=memory");
		memory.run((context) -> memory.run((other) -> {
			try (LockHandle held = context.getBean(LockTemplate.class).acquire(SALES)) {
				assertThat(tryOnce(other)).hasValueSatisfying((token) -> assertThat(held.isValid()).isTrue());
			}
		}));
	}

	@Test
	void providerOfTheApplicationComesBeforeMemory() {
		LockProvider mine = new InMemoryLockProvider();
		this.contextRunner.withPropertyValues("interlock.provider=memory")
			.withBean("mine", LockProvider.class, () -> mine)
			.run((context) -> assertThat(context.getBeanProvider(LockProvider.class).getObject()).isSameAs(mine));
	}

	@ParameterizedTest
	@ValueSource(strings = { "interlock.provider=none", "interlock.enabled=false" })
	void whatIsSwitchedOffGrantsEveryLockAtOnce(String property, CapturedOutput output) {
		this.contextRunner.withPropertyValues(property, "interlock.locks.sales.queue-enabled=true").run((context) -> {
			assertThat(context).hasSingleBean(LockTemplate.class)
				.hasSingleBean(LockOperations.class)
				.doesNotHaveBean(CuratorFramework.class)
				.doesNotHaveBean(ZooKeeperSession.class);
			LockTemplate template = context.getBean(LockTemplate.class);
			try (LockHandle held = template.acquire(SALES)) {
				long other = Background.call(() -> template.execute(SALES, (lock) -> lock.fencingToken()));
				assertThat(other).isGreaterThan(held.fencingToken());
				assertThat(held.isValid()).isTrue();
			}
			assertThat(context.getBean(Office.class).runs()).isEqualTo("ran");
		});
		assertThat(warnings(output)).singleElement()
			.asString()
			.contains(property
					+ ": locks are granted at once and exclude nothing. Tokens of different providers cannot be "
					+ "compared: after a change of the provider, fenced rows may refuse every write until "
					+ "their column is cleared");
	}

	@Test
	void providerOfTheApplicationComesBeforeNone(CapturedOutput output) {
		this.contextRunner.withPropertyValues("interlock.provider=none")
			.withBean("mine", LockProvider.class, InMemoryLockProvider::new)
			.run((context) -> {
				try (LockHandle held = context.getBean(LockTemplate.class).acquire(SALES)) {
					assertThat(Background.call(() -> tryOnce(context))).isEmpty();
					assertThat(held.isValid()).isTrue();
				}
			});
		assertThat(warnings(output)).singleElement()
			.asString()
			.contains("interlock.provider=none has no effect, because the LockProvider beans [mine] take precedence. "
					+ "Set interlock.enabled=false to switch locks off");
	}

	@Test
	void locksThatAreSwitchedOffDoNotAskTheProviderOfTheApplication(CapturedOutput output) {
		LockProvider mine = mock(LockProvider.class);
		this.contextRunner.withPropertyValues("interlock.enabled=false")
			.withBean("mine", LockProvider.class, () -> mine)
			.run((context) -> {
				assertThat(tryOnce(context)).isPresent();
				then(mine).shouldHaveNoInteractions();
			});
		assertThat(warnings(output)).singleElement().asString().contains("interlock.enabled=false: locks are granted");
	}

	@Test
	void noneStillTellsAnnotatedMethodsOfTheirLock() {
		this.contextRunner.withPropertyValues("interlock.provider=none")
			.run((context) -> assertThat(context.getBean(Office.class).sell()).isPositive());
	}

	@Test
	void warnsOfAnnotationsThatAreSwitchedOff(CapturedOutput output) {
		this.contextRunner.withPropertyValues("interlock.provider=memory", "interlock.annotations.enabled=false")
			.run((context) -> {
				context.getBean(InMemoryLockProvider.class)
					.attempt(LockRequest.exclusive("office"), LockCaller.current());
				assertThat(context.getBean(Office.class).sell()).isPositive();
			});
		assertThat(warnings(output)).filteredOn((line) -> !line.contains("memory of this JVM"))
			.singleElement()
			.asString()
			.contains("interlock.annotations.enabled=false: annotated methods run without their locks");
	}

	@Test
	void warnsOnceOfAllThatIsSwitchedOff(CapturedOutput output) {
		this.contextRunner
			.withPropertyValues("interlock.provider=none", "interlock.annotations.enabled=false",
					"interlock.enabled=false", "spring.main.lazy-initialization=true")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(warnings(output)).singleElement()
			.asString()
			.contains("interlock.enabled=false, interlock.provider=none, interlock.annotations.enabled=false: locks");
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis", "mongo" })
	void aValueThatIsNotKnownNeverMeansLocksOfAnotherKind(String value) {
		this.contextRunner.withPropertyValues("interlock.provider=" + value)
			.run((context) -> assertThat(context).getFailure()
				.satisfies((failure) -> assertThat(failure).hasStackTraceContaining("interlock.provider")));
	}

	@Test
	void aValueHasItsMeaningInEverySpelling() {
		this.contextRunner.withPropertyValues("interlock.provider=zoo-keeper")
			.run((context) -> assertThat(context).hasSingleBean(ZooKeeperSession.class));
	}

	private static List<String> warnings(CapturedOutput output) {
		return output.toString()
			.lines()
			.filter((line) -> line.contains("WARN") && line.contains("InterlockAuto"))
			.toList();
	}

	private static Optional<Long> tryOnce(AssertableApplicationContext context) {
		return context.getBean(LockTemplate.class).tryAcquire(SALES).map((lock) -> {
			try (lock) {
				return lock.fencingToken();
			}
		});
	}

	private static Optional<LockGrant> attempt(AssertableApplicationContext context) {
		return context.getBean(InMemoryLockProvider.class).attempt(SALES, LockCaller.current()).outcome().join();
	}

	static class Office {

		@DistributedLock("office")
		public long sell() {
			return LockContext.current().fencingToken();
		}

		@DistributedLock("office")
		public String runs() {
			return "ran";
		}

	}

}
