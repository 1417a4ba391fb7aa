package io.interlock.lease;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LeaseCleaner}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeaseCleanerTests {

	private static final Duration INTERVAL = Duration.ofMinutes(10);

	private final MapLeaseStore store = new MapLeaseStore();

	@Test
	void restsBetweenPartsForAsLongAsTheLastOneTook() {
		Steps time = new Steps();
		List<Duration> durations = new ArrayList<>(
				List.of(Duration.ofSeconds(2), Duration.ZERO, Duration.ofMillis(300), Duration.ofSeconds(1)));
		this.store.cleaning = () -> {
			time.now += durations.remove(0).toNanos();
			return !durations.isEmpty();
		};
		start(time);
		for (Duration rest : List.of(INTERVAL, Duration.ofSeconds(2), Duration.ofMillis(10), Duration.ofMillis(300))) {
			assertThat(time.rest).isEqualTo(rest);
			time.pass();
		}
		assertThat(durations).isEmpty();
		assertThat(time.rest).isEqualTo(INTERVAL);
	}

	@Test
	void warnsOnceWhenItKeepsFailing(CapturedOutput output) {
		Steps time = new Steps();
		start(time);
		this.store.cleaning = () -> {
			throw LeaseStoreException.lasting("the test may not delete", null);
		};
		time.pass();
		assertThat(output).doesNotContain("the test may not delete");
		for (int i = 0; i < 3; i++) {
			assertThat(time.rest).isEqualTo(INTERVAL);
			time.pass();
		}
		assertThat(output).containsOnlyOnce("could not be removed from the store several times in a row")
			.contains("WARN")
			.contains("the test may not delete")
			.doesNotContain("removed from the store again");
		this.store.cleaning = () -> false;
		time.pass();
		time.pass();
		assertThat(output).containsOnlyOnce("removed from the store again");
	}

	@Test
	void noThreadAndNoMemoryEndNothing() {
		Steps time = new Steps();
		start(time);
		time.refusals = 1;
		time.pass();
		List<Integer> calls = new ArrayList<>();
		this.store.cleaning = () -> {
			calls.add(1);
			throw new OutOfMemoryError("by the test");
		};
		time.pass();
		time.pass();
		assertThat(calls).hasSize(2);
		assertThat(time.rest).isEqualTo(INTERVAL);
	}

	@Test
	void renewalsGoOnWhileTheStoreCleans() throws Exception {
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		this.store.cleaning = () -> {
			begun.countDown();
			try {
				return !end.await(1, TimeUnit.MINUTES);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		};
		LeaseSettings settings = new LeaseSettings("test", Duration.ofSeconds(6), Duration.ofMillis(20),
				Duration.ofSeconds(10), 2, false);
		try (LeaseLockProvider provider = new LeaseLockProvider(this.store, settings, new Impatient())) {
			assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
			LockGrant grant = provider.attempt(LockRequest.exclusive("stock"), LockCaller.current())
				.outcome()
				.get(10, TimeUnit.SECONDS)
				.orElseThrow();
			await().untilAsserted(() -> assertThat(this.store.renewals).hasPositiveValue());
			assertThat(grant.state() == LockState.LOST).isFalse();
			grant.release();
		}
		finally {
			end.countDown();
		}
	}

	private void start(Steps time) {
		new LeaseCleaner(this.store, time, new LeaseThreads(time, 1)).start();
	}

	/**
	 * A time that stands still between the steps of a test, and whose threads are that of
	 * the test.
	 */
	private static final class Steps implements LeaseTime {

		private long now;

		private Duration rest = Duration.ZERO;

		private Runnable task = () -> {
		};

		private int refusals;

		void pass() {
			this.now += this.rest.toNanos();
			this.task.run();
		}

		@Override
		public long nanoTime() {
			return this.now;
		}

		@Override
		public Future<?> schedule(Runnable task, long nanos) {
			this.task = task;
			this.rest = Duration.ofNanos(nanos);
			return new FutureTask<>(task, null);
		}

		@Override
		public ExecutorService threads(int size) {
			return new DirectExecutor(() -> {
				if (this.refusals > 0) {
					this.refusals--;
					throw new OutOfMemoryError("unable to create native thread, by the test");
				}
			});
		}

	}

	/**
	 * The time of the system, in which long waits are over at once.
	 */
	private static final class Impatient implements LeaseTime {

		private final LeaseTime system = LeaseTime.system();

		@Override
		public long nanoTime() {
			return this.system.nanoTime();
		}

		@Override
		public Future<?> schedule(Runnable task, long nanos) {
			return this.system.schedule(task, (nanos >= INTERVAL.toNanos()) ? 0 : nanos);
		}

		@Override
		public ExecutorService threads(int size) {
			return this.system.threads(size);
		}

		@Override
		public ExecutorService thread() {
			return this.system.thread();
		}

		@Override
		public void close() {
			this.system.close();
		}

	}

}
