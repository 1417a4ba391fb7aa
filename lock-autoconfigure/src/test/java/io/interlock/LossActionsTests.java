package io.interlock;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LossActions}.
 */
class LossActionsTests {

	private final LossActions actions = new LossActions();

	private final List<String> done = new ArrayList<>();

	@Test
	void actionsRunInOrder() {
		this.actions.add(() -> this.done.add("first"));
		this.actions.add(() -> this.done.add("second"));
		assertThat(this.actions.isLost()).isFalse();
		assertThat(this.actions.lose()).isTrue();
		assertThat(this.actions.isLost()).isTrue();
		assertThat(this.done).isEmpty();
		this.actions.run();
		assertThat(this.done).containsExactly("first", "second");
	}

	@Test
	void lossIsNewsOnce() {
		assertThat(this.actions.lose()).isTrue();
		assertThat(this.actions.lose()).isFalse();
	}

	@Test
	void actionThatComesLateRunsAtOnce() {
		this.actions.lose();
		this.actions.run();
		this.actions.add(() -> this.done.add("late"));
		assertThat(this.done).containsExactly("late");
	}

	@Test
	void actionThatFailsDoesNotKeepOthersFromRunning() {
		this.actions.add(() -> {
			throw new IllegalStateException("expected by this test");
		});
		this.actions.add(() -> this.done.add("second"));
		this.actions.lose();
		this.actions.run();
		assertThat(this.done).containsExactly("second");
	}

	@Test
	void actionsAddedWhileTheLossHappensRunOnce() throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(5);
		for (int round = 0; round < 200; round++) {
			LossActions contended = new LossActions();
			AtomicInteger runs = new AtomicInteger();
			Callable<Object> loser = () -> {
				if (contended.lose()) {
					contended.run();
				}
				return null;
			};
			Callable<Object> adder = () -> {
				contended.add(runs::incrementAndGet);
				return null;
			};
			for (Future<Object> each : threads.invokeAll(List.of(adder, loser, adder, loser, adder))) {
				each.get();
			}
			assertThat(runs).hasValue(3);
		}
		threads.shutdown();
	}

	@Test
	void whoWaitsForTheActionsSeesThemDone() throws Exception {
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		AtomicInteger done = new AtomicInteger();
		this.actions.add(() -> {
			running.countDown();
			try {
				goOn.await(10, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			done.incrementAndGet();
		});
		this.actions.lose();
		Thread runner = new Thread(this.actions::run);
		runner.start();
		assertThat(running.await(10, TimeUnit.SECONDS)).isTrue();
		assertThat(this.actions.awaitRun(1)).isFalse();
		goOn.countDown();
		assertThat(this.actions.awaitRun(TimeUnit.SECONDS.toNanos(10))).isTrue();
		assertThat(done).hasValue(1);
		runner.join();
	}

	@Test
	void actionThatWaitsForItselfDoesNotWait() {
		this.actions.add(() -> this.done.add("waited: " + this.actions.awaitRun(TimeUnit.MINUTES.toNanos(1))));
		this.actions.lose();
		this.actions.run();
		assertThat(this.done).containsExactly("waited: false");
	}

}
