package io.interlock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseSettings;
import io.interlock.lease.LeaseStore;
import io.interlock.lease.LeaseStoreAddress;
import io.interlock.lease.LeaseStoreException;
import io.interlock.provider.LockCapabilities;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

/**
 * Tests for {@link LeaseStartupCheck} on a store that answers as it is told.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeaseStartupCheckTests {

	private static final LeaseStoreException SILENT = LeaseStoreException.passing("the test says nothing", null);

	private final LeaseStore store = mock(LeaseStore.class);

	private final LeaseLockProvider provider = new LeaseLockProvider(this.store,
			new LeaseSettings("test", Duration.ofSeconds(15), Duration.ofMillis(50), Duration.ofSeconds(1), 1, false));

	private final CountDownLatch answer = new CountDownLatch(1);

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class))
		.withBean(LeaseLockProvider.class, () -> this.provider);

	@BeforeEach
	void describe() {
		given(this.store.capabilities()).willReturn(new LockCapabilities(true, true, true, true, true));
		given(this.store.address()).willReturn(new LeaseStoreAddress("Teststore", "there", "locks", "test.address"));
	}

	@AfterEach
	void close() {
		this.answer.countDown();
		this.provider.close();
		// What it logs late would be in the output of the next test.
		await().until(() -> Thread.getAllStackTraces()
			.keySet()
			.stream()
			.noneMatch((thread) -> thread.getName().equals("interlock-worker-startup")));
	}

	private void silence() {
		willAnswer((call) -> {
			this.answer.await();
			return null;
		}).given(this.store).check();
	}

	private LeaseStoreException failure(Duration timeout) {
		return catchThrowableOfType(LeaseStoreException.class, () -> waiting(timeout).afterPropertiesSet());
	}

	private LeaseStartupCheck waiting(Duration timeout) {
		return new LeaseStartupCheck(this.provider, timeout);
	}

	@Test
	void startIsOneQuestionAndSaysWhereTheLocksAre(CapturedOutput output) {
		this.contextRunner.withPropertyValues("interlock.startup-timeout=10s")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce("Locks are kept in Teststore at 'there' (locks). Supported: exclusive")
			.doesNotContain("LeaseLockProvider");
		verify(this.store).check();
	}

	@Test
	void startDoesNotWaitByDefault() {
		silence();
		this.contextRunner.run((context) -> {
			assertThat(context).hasNotFailed();
			this.answer.countDown();
		});
	}

	@Test
	void silentStoreFailsTheStartInTime() {
		silence();
		LeaseStoreException failure = failure(Duration.ofMillis(10));
		assertThat(failure.getProblem()).isEqualTo(
				"Teststore at 'there' cannot be used for locks within the startup timeout of 10 ms: it does not answer");
		assertThat(failure.getRemedy()).isEqualTo(
				"Start Teststore there, or correct test.address. Set interlock.startup-timeout=0 to start without waiting");
	}

	@Test
	void outageIsWaitedForWithinTheTimeout() {
		willThrow(SILENT).willDoNothing().given(this.store).check();
		waiting(Duration.ofSeconds(10)).afterPropertiesSet();
	}

	@Test
	void outageThatLastsFailsTheStartWithItsReason() {
		willThrow(SILENT).given(this.store).check();
		assertThat(failure(Duration.ofSeconds(1)).getProblem()).endsWith(": the test says nothing");
	}

	@Test
	void refusalFailsTheStartAtOnceWithItsRemedy() {
		willThrow(LeaseStoreException.lasting("the test refuses", "Ask another test", null)).given(this.store).check();
		LeaseStoreException failure = failure(Duration.ofMinutes(1));
		assertThat(failure.getProblem())
			.isEqualTo("Teststore at 'there' (locks) cannot be used for locks: the test refuses");
		assertThat(failure.getRemedy()).isEqualTo("Ask another test");
	}

	@Test
	void failureOfUnknownKindFailsTheStart() {
		willThrow(new IllegalStateException("the test fails")).given(this.store).check();
		LeaseStoreException failure = failure(Duration.ofMinutes(1));
		assertThat(failure.getProblem()).contains("the test fails");
		assertThat(failure.getRemedy()).contains("test.address");
	}

	@Test
	void outageIsWarnedOfOnceByStartThatDoesNotWait(CapturedOutput output) {
		AtomicInteger questions = new AtomicInteger();
		AtomicBoolean down = new AtomicBoolean(true);
		willAnswer((call) -> {
			questions.incrementAndGet();
			if (down.get()) {
				throw SILENT;
			}
			return null;
		}).given(this.store).check();
		LeaseStartupCheck check = new LeaseStartupCheck(this.provider, null, Duration.ZERO, Duration.ZERO);
		check.afterPropertiesSet();
		await().untilAsserted(() -> assertThat(output).containsPattern(
				"WARN .*Teststore at 'there' cannot be used for locks: the test says nothing. Locks cannot be acquired until it can"));
		await().until(() -> questions.get() > 3);
		down.set(false);
		await().untilAsserted(() -> assertThat(output).contains("Supported: "));
		assertThat(output).containsOnlyOnce("until it can");
		check.destroy();
	}

	@Test
	void memorySaysWhatItExcludes(CapturedOutput output) {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class))
			.withPropertyValues("interlock.provider=memory")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LeaseStartupCheck.class));
		assertThat(output).containsOnlyOnce("Locks are kept in the memory of this JVM")
			.containsPattern("WARN .*Locks are kept in the memory of this JVM")
			.doesNotContain("surviving fail-over")
			.doesNotContain("InMemoryLockProvider");
	}

}
