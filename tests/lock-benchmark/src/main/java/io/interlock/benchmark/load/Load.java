package io.interlock.benchmark.load;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.interlock.benchmark.contestant.Locks;
import io.interlock.benchmark.load.LoadThread.Stage;
import org.jspecify.annotations.Nullable;

/**
 * Threads that lock and unlock for a while, and exclude each other: where they do not,
 * the load fails.
 *
 * @since 0.1.0
 */
public final class Load {

	private static final long LONGEST_END = TimeUnit.SECONDS.toNanos(60);

	private final List<LoadThread> work = new ArrayList<>();

	private final List<Slot> slots;

	private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

	private final CountDownLatch failed = new CountDownLatch(1);

	private volatile Stage stage = Stage.WARMING_UP;

	private Load(LoadPlan plan, Locks locks, List<Slot> slots, long firstId) {
		this.slots = slots;
		for (int i = 0; i < plan.threads(); i++) {
			this.work.add(new LoadThread(locks, plan, slots.get(i % slots.size()), firstId + i, () -> this.stage));
		}
	}

	/**
	 * Run a load whose threads all live in this JVM.
	 * @param plan what they do
	 * @param locks what they lock with
	 * @param pace for how long
	 * @return what they did
	 * @throws InterruptedException if this thread is interrupted
	 * @throws ExclusionViolation if they did not exclude each other
	 */
	public static Tally run(LoadPlan plan, Locks locks, Pace pace) throws InterruptedException {
		Stream<String> keys = plan.hot() ? Stream.of("hot")
				: LongStream.range(0, plan.threads()).mapToObj((i) -> "own-" + i);
		Load load = new Load(plan, locks, keys.map((key) -> new Slot(key, plan.check())).toList(), 1);
		Tally tally = load.run(pace);
		long seen = load.slots.stream().mapToLong((slot) -> slot.check().exclusiveHolders()).sum();
		if (seen != tally.exclusiveHolders()) {
			throw new ExclusionViolation("%d holders, but %d seen".formatted(tally.exclusiveHolders(), seen));
		}
		return tally;
	}

	/**
	 * Run the part of a load that lives in this JVM.
	 * @param plan what its threads do
	 * @param locks what they lock with
	 * @param pace for how long
	 * @param check what they guard together with the threads of other JVMs
	 * @param part number of this JVM, from 1 on
	 * @return what they did
	 * @throws InterruptedException if this thread is interrupted
	 * @throws ExclusionViolation if one of them saw that they did not exclude each other
	 */
	public static Tally run(LoadPlan plan, Locks locks, Pace pace, ExclusionCheck check, int part)
			throws InterruptedException {
		return new Load(plan, locks, List.of(new Slot("hot", check)), part * 1_000_000L).run(pace);
	}

	private Tally run(Pace pace) throws InterruptedException {
		List<Thread> threads = this.work.stream().map(this::start).toList();
		this.failed.await(pace.warmUp().toNanos(), TimeUnit.NANOSECONDS);
		this.stage = Stage.MEASURED;
		long startedAt = System.nanoTime();
		this.failed.await(pace.measured().toNanos(), TimeUnit.NANOSECONDS);
		this.stage = Stage.ENDING;
		long elapsed = System.nanoTime() - startedAt;
		join(threads);
		return this.work.stream().map((thread) -> thread.tally(elapsed)).reduce(Tally.NOTHING, Tally::plus);
	}

	private Thread start(LoadThread work) {
		Thread thread = new Thread(() -> {
			try {
				work.run();
			}
			catch (Throwable ex) {
				this.failure.compareAndSet(null, ex);
				this.stage = Stage.ENDING;
				this.failed.countDown();
			}
		}, "load");
		thread.setDaemon(true);
		thread.start();
		return thread;
	}

	private void join(List<Thread> threads) throws InterruptedException {
		long deadline = System.nanoTime() + LONGEST_END;
		for (Thread thread : threads) {
			thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
		}
		Throwable cause = this.failure.get();
		if (cause instanceof ExclusionViolation violation) {
			throw violation;
		}
		if (cause != null) {
			throw new IllegalStateException("A thread failed: " + cause, cause);
		}
		if (threads.stream().anyMatch(Thread::isAlive)) {
			throw new IllegalStateException("A thread does not come back");
		}
	}

}
