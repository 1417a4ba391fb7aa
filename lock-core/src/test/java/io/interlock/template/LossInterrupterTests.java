package io.interlock.template;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.interlock.testsupport.thread.Background;
import io.interlock.testsupport.thread.Spin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LossInterrupter}.
 */
@Timeout(600)
class LossInterrupterTests {

	private static final int ROUNDS = Integer.getInteger("interlock.races.factor", 1) * 10_000;

	private final LossInterrupter interrupter = new LossInterrupter(Thread.currentThread());

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(Leftovers.takeInterrupt()).isFalse();
	}

	@Test
	void interruptsTheBody() {
		this.interrupter.interrupt();
		assertThat(Leftovers.takeInterrupt()).isTrue();
	}

	@Test
	void takesItsFlagBack() {
		this.interrupter.interrupt();
		assertThat(this.interrupter.leave()).isTrue();
		assertThat(Leftovers.takeInterrupt()).isFalse();
	}

	@Test
	void doesNotTakeBackTheFlagOfSomebodyElse() {
		Thread.currentThread().interrupt();
		assertThat(this.interrupter.leave()).isFalse();
		assertThat(Leftovers.takeInterrupt()).isTrue();
	}

	@Test
	void hasNothingToTakeBackWhenTheBodyHasConsumedIt() {
		this.interrupter.interrupt();
		assertThat(Leftovers.takeInterrupt()).isTrue();
		assertThat(this.interrupter.leave()).isFalse();
	}

	@Test
	void doesNotInterruptAfterTheBody() {
		this.interrupter.leave();
		this.interrupter.interrupt();
		this.interrupter.again();
		assertThat(Leftovers.takeInterrupt()).isFalse();
	}

	@Test
	void takesItsFlagBackOnTheThreadOfTheBodyOnly() {
		this.interrupter.interrupt();
		assertThat(leaveOnAnotherThread()).isFalse();
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		assertThat(this.interrupter.leave()).isTrue();
	}

	private boolean leaveOnAnotherThread() {
		AtomicReference<Boolean> answer = new AtomicReference<>();
		Background.start(() -> {
			answer.set(this.interrupter.leave());
			return true;
		});
		Spin.until(() -> answer.get() != null);
		return answer.get();
	}

	@Test
	void repeatsOnlyAnInterruptThatItMadeItself() {
		this.interrupter.again();
		assertThat(Leftovers.takeInterrupt()).isFalse();
		this.interrupter.interrupt();
		assertThat(Leftovers.takeInterrupt()).isTrue();
		this.interrupter.again();
		assertThat(Leftovers.takeInterrupt()).isTrue();
	}

	@Test
	void interruptingAndLeavingAtTheSameInstantLeavesNoFlag() {
		AtomicReference<LossInterrupter> current = new AtomicReference<>();
		AtomicInteger done = new AtomicInteger();
		Background.start(() -> {
			for (int round = 1; round <= ROUNDS; round++) {
				LossInterrupter next = current.getAndSet(null);
				while (next == null) {
					Thread.yield();
					next = current.getAndSet(null);
				}
				pause();
				next.interrupt();
				done.set(round);
			}
			return true;
		});
		int strayFlags = 0;
		for (int round = 1; round <= ROUNDS; round++) {
			LossInterrupter next = new LossInterrupter(Thread.currentThread());
			current.set(next);
			pause();
			next.leave();
			while (done.get() != round) {
				Thread.yield();
			}
			strayFlags += Thread.interrupted() ? 1 : 0;
		}
		assertThat(strayFlags).as("flags set after the body").isZero();
	}

	private static void pause() {
		for (int turn = ThreadLocalRandom.current().nextInt(100); turn > 0; turn--) {
			Thread.onSpinWait();
		}
	}

}
