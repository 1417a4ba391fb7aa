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

	private static final int THREADS = 4;

	private static final Pace PACE = new Pace(Duration.ofMillis(20), Duration.ofMillis(150));

	private static final Pace UNTIL_IT_FAILS = new Pace(Duration.ofMillis(20), Duration.ofSeconds(60));

	// Fair, so that every thread waits for the others.
	private final ReentrantLock lock = new ReentrantLock(true);

	@Test
	void countsAndMeasures() throws InterruptedException {
		Tally tally = measured();
		assertThat(tally.operations()).isPositive().isLessThanOrEqualTo(tally.exclusiveHolders());
		assertThat(tally.before()).isPositive().isLessThanOrEqualTo(tally.exclusiveHolders() - tally.operations());
		// A body may end just before the measured time, and its operation in it.
		long bodies = tally.operations() - THREADS;
		assertThat(tally.body()).isGreaterThanOrEqualTo(Duration.ofMillis(1).toNanos() * bodies);
		assertThat(tally.longestWait()).isGreaterThanOrEqualTo(Duration.ofMillis(1).toNanos());
	}

	/** Measure again if the machine stood still meanwhile. */
	private Tally measured() throws InterruptedException {
		Tally tally = Tally.NOTHING;
		for (int rounds = 0; rounds < 20 && (tally.before() == 0 || tally.operations() < 20); rounds++) {
			tally = Load.run(LoadPlan.hot(THREADS, Duration.ofMillis(1)), new LocksOfTest(this::exclusively), PACE);
		}
		return tally;
	}

	@Test
	void failsWithLocksThatDoNotExclude() {
		LoadPlan plan = LoadPlan.hot(THREADS, Duration.ofMillis(1));
		assertThatExceptionOfType(ExclusionViolation.class)
			.isThrownBy(() -> Load.run(plan, new LocksOfTest(Runnable::run), UNTIL_IT_FAILS));
	}

	@Test
	void failsWithLocksThatFail() {
		assertThatIllegalStateException().isThrownBy(() -> Load.run(LoadPlan.uncontended(1), new LocksOfTest((body) -> {
			throw new IllegalStateException("no server");
		}), UNTIL_IT_FAILS)).withMessageContaining("no server");
	}

	@Test
	void tallyTravelsAsALine() {
		Tally tally = new Tally(1, 2, 3, 4, 5, 6, 7, 8);
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
