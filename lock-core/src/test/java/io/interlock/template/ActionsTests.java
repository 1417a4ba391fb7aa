package io.interlock.template;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Actions}.
 */
class ActionsTests {

	private final Actions<String> actions = new Actions<>(null);

	private final List<String> done = new ArrayList<>();

	@Test
	void actionsRunInOrder() {
		this.actions.add((event) -> this.done.add("first " + event));
		this.actions.add((event) -> this.done.add("second " + event));
		assertThat(this.actions.knowsLast()).isFalse();
		assertThat(this.done).isEmpty();
		this.actions.tellLast("loss");
		assertThat(this.actions.knowsLast()).isTrue();
		assertThat(this.done).containsExactly("first loss", "second loss");
	}

	@Test
	void lastEventIsToldOnce() {
		this.actions.add(this.done::add);
		this.actions.tellLast("loss");
		this.actions.tellLast("another");
		this.actions.tell("too late");
		assertThat(this.done).containsExactly("loss");
	}

	@Test
	void otherEventsAreToldEachTime() {
		this.actions.add(this.done::add);
		this.actions.tell("one");
		this.actions.tell("two");
		this.actions.add((event) -> this.done.add("added"));
		assertThat(this.done).containsExactly("one", "two");
		assertThat(this.actions.knowsLast()).isFalse();
	}

	@Test
	void actionThatComesLateRunsAtOnce() {
		this.actions.tellLast("loss");
		this.actions.add((event) -> this.done.add("late " + event));
		assertThat(this.done).containsExactly("late loss");
	}

	@Test
	void actionThatFailsDoesNotKeepOthersFromRunning() {
		this.actions.add((event) -> {
			throw new IllegalStateException("expected by this test");
		});
		this.actions.add((event) -> {
			throw new StackOverflowError("expected by this test");
		});
		this.actions.add(this.done::add);
		this.actions.tellLast("second");
		assertThat(this.done).containsExactly("second");
	}

	@Test
	void actionsAddedWhileTheLossHappensRunOnce() throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(5);
		for (int round = 0; round < 200; round++) {
			Actions<String> contended = new Actions<>(null);
			AtomicInteger runs = new AtomicInteger();
			Callable<Object> loser = () -> {
				contended.tellLast("loss");
				return "done";
			};
			Callable<Object> adder = () -> {
				contended.add((event) -> runs.incrementAndGet());
				return "done";
			};
			for (Future<Object> each : threads.invokeAll(List.of(adder, loser, adder, loser, adder))) {
				each.get();
			}
			assertThat(runs).hasValue(3);
		}
		threads.shutdown();
	}

	@Test
	void nothingIsHeardAfterTheLastEvent() throws Exception {
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		List<String> busy = new CopyOnWriteArrayList<>();
		List<String> next = new CopyOnWriteArrayList<>();
		this.actions.add((event) -> {
			busy.add(event);
			running.countDown();
			awaitQuietly(goOn);
		});
		this.actions.add(next::add);
		Background<Boolean> teller = Background.start(() -> {
			this.actions.tell("change");
			return true;
		});
		assertThat(running.await(10, TimeUnit.SECONDS)).isTrue();
		this.actions.tellLast("loss");
		assertThat(next).as("not kept from the loss by another action").containsExactly("loss");
		goOn.countDown();
		teller.join();
		this.actions.awaitLastTold(TimeUnit.SECONDS.toNanos(10));
		assertThat(busy).containsExactly("change", "loss");
		assertThat(next).containsExactly("loss");
	}

	@Test
	void actionThatBringsTheLastEventHearsItAfterwards() {
		this.actions.add((event) -> {
			this.done.add("begin " + event);
			this.actions.tellLast("loss");
			long startedAt = System.nanoTime();
			this.actions.awaitLastTold(TimeUnit.MINUTES.toNanos(1));
			assertThat(System.nanoTime() - startedAt).isLessThan(TimeUnit.SECONDS.toNanos(10));
			this.done.add("end " + event);
		});
		this.actions.tell("change");
		assertThat(this.done).containsExactly("begin change", "end change", "begin loss", "end loss");
	}

	@Test
	void callerThatWaitsForTheActionsSeesThemDone() throws Exception {
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		AtomicInteger seen = new AtomicInteger();
		this.actions.add((event) -> {
			running.countDown();
			awaitQuietly(goOn);
			seen.incrementAndGet();
		});
		Thread runner = new Thread(() -> this.actions.tellLast("loss"));
		runner.start();
		assertThat(running.await(10, TimeUnit.SECONDS)).isTrue();
		this.actions.awaitLastTold(1);
		assertThat(seen).hasValue(0);
		goOn.countDown();
		this.actions.awaitLastTold(TimeUnit.SECONDS.toNanos(10));
		assertThat(seen).hasValue(1);
		runner.join();
	}

	@Test
	void actionThatWaitsForItselfDoesNotWait() {
		this.actions.add((event) -> this.actions.awaitLastTold(TimeUnit.MINUTES.toNanos(1)));
		long startedAt = System.nanoTime();
		this.actions.tellLast("loss");
		assertThat(System.nanoTime() - startedAt).isLessThan(TimeUnit.SECONDS.toNanos(10));
	}

	private static void awaitQuietly(CountDownLatch latch) {
		try {
			latch.await(10, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
