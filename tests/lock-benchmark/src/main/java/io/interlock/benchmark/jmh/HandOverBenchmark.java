package io.interlock.benchmark.jmh;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One key that all threads want: each lock is handed from one thread to another.
 *
 * @since 0.1.0
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class HandOverBenchmark {

	/**
	 * Hand over among 2 threads.
	 * @param locks the locks
	 * @return something that depends on the lock
	 */
	@Benchmark
	@Threads(2)
	public long among2(LocalLocks locks) {
		return locks.lockHotKey();
	}

	/**
	 * Hand over among 8 threads.
	 * @param locks the locks
	 * @return something that depends on the lock
	 */
	@Benchmark
	@Threads(8)
	public long among8(LocalLocks locks) {
		return locks.lockHotKey();
	}

	/**
	 * Hand over among 32 threads.
	 * @param locks the locks
	 * @return something that depends on the lock
	 */
	@Benchmark
	@Threads(32)
	public long among32(LocalLocks locks) {
		return locks.lockHotKey();
	}

}
