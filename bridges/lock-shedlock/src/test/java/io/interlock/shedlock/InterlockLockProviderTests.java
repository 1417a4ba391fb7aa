package io.interlock.shedlock;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.interlock.LockRequest;
import io.interlock.LossPolicy;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSettings;
import io.interlock.template.LockTemplate;
import io.interlock.test.TestLocks;
import io.interlock.testsupport.thread.Background;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link InterlockLockProvider} beside those that ShedLock publishes.
 */
@Timeout(30)
@ExtendWith(OutputCaptureExtension.class)
class InterlockLockProviderTests {

	private static final Duration LONG = Duration.ofMinutes(5);

	private final InMemoryLockProvider store = new InMemoryLockProvider();

	private final HeldLocks heldLocks = new HeldLocks();

	private final LockTemplate template = new LockTemplate(this.store,
			new LockSettings(Duration.ofSeconds(10), Map.of(), Duration.ofSeconds(1)), this.heldLocks, List.of());

	private final InterlockLockProvider provider = new InterlockLockProvider(this.template);

	private final InterlockLockProvider otherInstance = new InterlockLockProvider(new LockTemplate(this.store));

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(Thread.interrupted()).isFalse();
		await().untilAsserted(() -> assertThat(this.heldLocks.held()).isEmpty());
	}

	@Test
	void isTheLockOfThatNameAndKey() {
		SimpleLock lock = lock(LONG, Duration.ZERO).orElseThrow();
		assertThat(this.heldLocks.held()).singleElement()
			.satisfies((held) -> assertThat(held.id()).hasToString("shedlock[settlement]"));
		lock.unlock();
	}

	@Test
	void isNotReentrant() {
		SimpleLock lock = lock(LONG, Duration.ZERO).orElseThrow();
		assertThat(lock(LONG, Duration.ZERO)).isEmpty();
		assertThat(this.otherInstance.lock(configuration(LONG, Duration.ZERO))).isEmpty();
		lock.unlock();
		SimpleLock again = lock(LONG, Duration.ZERO).orElseThrow();
		again.unlock();
	}

	@Test
	void isUnlockedByAnyThread() throws Exception {
		SimpleLock lock = lock(LONG, Duration.ZERO).orElseThrow();
		Background.run(lock::unlock);
		SimpleLock again = lock(LONG, Duration.ZERO).orElseThrow();
		again.unlock();
		assertThatIllegalStateException().isThrownBy(again::unlock);
	}

	@Test
	void lockAtLeastForKeepsTheLockTaken() {
		TestLocks locks = TestLocks.create();
		InterlockLockProvider timed = new InterlockLockProvider(locks.template());
		timed.lock(configuration(LONG, LONG)).orElseThrow().unlock();
		locks.advance(LONG.minusSeconds(1));
		assertThat(timed.lock(configuration(LONG, Duration.ZERO))).isEmpty();
		assertThat(locks).holds("shedlock", "settlement");
		locks.advance(Duration.ofSeconds(1));
		assertThat(locks).holdsNothing();
		assertThat(timed.lock(configuration(LONG, Duration.ZERO))).hasValueSatisfying(SimpleLock::unlock);
	}

	@Test
	void lockAtMostForOfZeroIsNoLimit() {
		lock(Duration.ZERO, Duration.ZERO).orElseThrow().unlock();
	}

	@Test
	void taskThatRunsTooLongIsReportedWithItsStackAndKeepsItsLock(CapturedOutput output) {
		SimpleLock lock = lock(Duration.ofMillis(20), Duration.ZERO).orElseThrow();
		await().until(() -> output.getOut().contains("longer than its limit of PT0.02S; it stays held"));
		assertThat(output).contains("shedlock[settlement]").contains(getClass().getName() + ".taskThatRunsTooLong");
		assertThat(this.otherInstance.lock(configuration(LONG, Duration.ZERO))).isEmpty();
		lock.unlock();
	}

	@Test
	void taskThatRunsTooLongIsInterruptedIfTheRequestSaysSo() throws Exception {
		InterlockLockProvider interrupting = new InterlockLockProvider(this.template,
				LockRequest.exclusive("jobs").withOnLoss(LossPolicy.INTERRUPT));
		Background<Boolean> task = Background.start(() -> {
			SimpleLock lock = interrupting.lock(configuration(Duration.ofSeconds(2), Duration.ZERO)).orElseThrow();
			try {
				return new CountDownLatch(1).await(20, TimeUnit.SECONDS);
			}
			finally {
				lock.unlock();
			}
		});
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(task::join);
	}

	@Test
	void extensionOfAHeldLockIsTheLock() {
		SimpleLock lock = lock(LONG, Duration.ZERO).orElseThrow();
		SimpleLock extended = lock.extend(LONG, Duration.ZERO).orElseThrow();
		assertThatIllegalStateException().isThrownBy(lock::unlock);
		assertThatIllegalStateException().isThrownBy(() -> lock.extend(LONG, Duration.ZERO));
		assertThat(this.otherInstance.lock(configuration(LONG, Duration.ZERO))).isEmpty();
		extended.unlock();
		assertThatIllegalStateException().isThrownBy(() -> extended.extend(LONG, Duration.ZERO));
		assertThat(this.otherInstance.lock(configuration(LONG, Duration.ZERO))).hasValueSatisfying(SimpleLock::unlock);
	}

	@Test
	void extensionWithAMinimumTimeIsRefusedAndTheLockStaysHeld() {
		SimpleLock lock = lock(LONG, Duration.ZERO).orElseThrow();
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> lock.extend(LONG, Duration.ofSeconds(1)))
			.withMessageContainingAll("shedlock[settlement]", "lockAtLeastFor = PT1S", "Duration.ZERO");
		assertThat(this.otherInstance.lock(configuration(LONG, Duration.ZERO))).isEmpty();
		lock.unlock();
	}

	@Test
	void waitTimeOfTheRequestLetsATaskWait() throws Exception {
		SimpleLock lock = lock(LONG, Duration.ZERO).orElseThrow();
		InterlockLockProvider waiting = new InterlockLockProvider(this.template,
				LockRequest.exclusive(InterlockLockProvider.DEFAULT_NAME).withWaitTime(Duration.ofSeconds(20)));
		Background<Boolean> task = Background.start(() -> {
			waiting.lock(configuration(LONG, Duration.ZERO)).orElseThrow().unlock();
			return true;
		});
		await().until(() -> !this.heldLocks.waiting().isEmpty());
		lock.unlock();
		assertThat(task.join()).isTrue();
	}

	@Test
	void requestThatIsNotExclusiveOrHasAKeyIsRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new InterlockLockProvider(this.template, LockRequest.shared("jobs")))
			.withMessageContaining("must be exclusive: SHARED jobs");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new InterlockLockProvider(this.template, LockRequest.exclusive("jobs").withKey("a")))
			.withMessageContaining("must have no key");
	}

	private Optional<SimpleLock> lock(Duration lockAtMostFor, Duration lockAtLeastFor) {
		return this.provider.lock(configuration(lockAtMostFor, lockAtLeastFor));
	}

	private static LockConfiguration configuration(Duration lockAtMostFor, Duration lockAtLeastFor) {
		return new LockConfiguration(Instant.now(), "settlement", lockAtMostFor, lockAtLeastFor);
	}

}
