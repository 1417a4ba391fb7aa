package io.interlock.benchmark.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.stream.LongStream;

/**
 * How long each of many calls took. A thread that waits for a call makes no other one.
 */
final class Latencies {

	final double rate;

	private final long[] sorted;

	private Latencies(long[] nanos, double seconds) {
		this.rate = nanos.length / seconds;
		this.sorted = nanos;
	}

	/**
	 * Call over and over.
	 * @param threads how many threads
	 * @param seconds for how long
	 * @param call what is called, with the number of its thread from 1 on
	 */
	static Latencies of(int threads, double seconds, IntConsumer call) throws InterruptedException, ExecutionException {
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			long end = System.nanoTime() + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
			List<Callable<LongStream>> tasks = new ArrayList<>();
			for (int i = 1; i <= threads; i++) {
				int number = i;
				tasks.add(() -> calls(end, () -> call.accept(number)));
			}
			LongStream all = LongStream.empty();
			for (Future<LongStream> calls : executor.invokeAll(tasks)) {
				all = LongStream.concat(all, calls.get());
			}
			return new Latencies(all.sorted().toArray(), seconds);
		}
		finally {
			executor.shutdownNow();
		}
	}

	private static LongStream calls(long end, Runnable call) {
		LongStream.Builder nanos = LongStream.builder();
		long begin = System.nanoTime();
		while (begin - end < 0) {
			call.run();
			long now = System.nanoTime();
			nanos.add(now - begin);
			begin = now;
		}
		return nanos.build();
	}

	/** Return how long a share of the calls took at the most. */
	double millis(double share) {
		return this.sorted[(int) Math.min(this.sorted.length - 1L, (long) (this.sorted.length * share))] / 1e6;
	}

}
