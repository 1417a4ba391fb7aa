package io.interlock.benchmark.load;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.interlock.benchmark.contestant.Locks;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link Load}.
 */
class LoadTests {

	private static final Pace PACE = new Pace(Duration.ofMillis(20), Duration.ofMillis(150));

	private final ReentrantLock lock = new ReentrantLock();

	@Test
	void countsAndMeasures() throws InterruptedException {
		Tally tally = Load.run(LoadPlan.hot(4, Duration.ofMillis(1)), new LocksOfTest(this::exclusively), PACE);
		assertThat(tally.operations()).isPositive().isLessThanOrEqualTo(tally.exclusiveHolders());
		assertThat(tally.body()).isGreaterThanOrEqualTo(Duration.ofMillis(1).toNanos() * (tally.operations() - 1));
		assertThat(tally.longestWait()).isGreaterThanOrEqualTo(Duration.ofMillis(1).toNanos());
	}

	@Test
	void failsWithLocksThatDoNotExclude() {
		LoadPlan plan = LoadPlan.hot(4, Duration.ofMillis(1));
		assertThatExceptionOfType(ExclusionViolation.class)
			.isThrownBy(() -> Load.run(plan, new LocksOfTest(Runnable::run), PACE));
	}

	@Test
	void failsWithLocksThatFail() {
		assertThatIllegalStateException().isThrownBy(() -> Load.run(LoadPlan.uncontended(1), new LocksOfTest((body) -> {
			throw new IllegalStateException("no server");
		}), PACE)).withMessageContaining("no server");
	}

	@Test
	void tallyTravelsAsALine() {
		Tally tally = new Tally(1, 2, 3, 4, 5, 6, 7);
		assertThat(Tally.ofLine(tally.toLine())).isEqualTo(tally);
	}

	private void exclusively(Runnable body) {
		this.lock.lock();
		try {
			body.run();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Locks that a test makes up.
	 */
	private record LocksOfTest(Consumer<Runnable> runner) implements Locks {

		@Override
		public void exclusively(String key, Runnable body) {
			this.runner.accept(body);
		}

		@Override
		public boolean tryExclusively(String key, Runnable body) {
			return false;
		}

		@Override
		public void close() {
		}

	}

}
