package io.interlock.benchmark.jmh;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What it costs on this machine to wake the next thread and to do nothing else: the JDK's
 * own lock, fair, so that it is handed over in order too. No queue of threads that parks
 * hands over faster than that.
 *
 * @since 0.1.0
 * @see HandOverBenchmark
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class FairLockBenchmark {

	private final ReentrantLock lock = new ReentrantLock(true);

	private long value;

	/**
	 * Hand over among 2 threads.
	 * @return something that depends on the lock
	 */
	@Benchmark
	@Threads(2)
	public long among2() {
		return handOver();
	}

	/**
	 * Hand over among 8 threads.
	 * @return something that depends on the lock
	 */
	@Benchmark
	@Threads(8)
	public long among8() {
		return handOver();
	}

	/**
	 * Hand over among 32 threads.
	 * @return something that depends on the lock
	 */
	@Benchmark
	@Threads(32)
	public long among32() {
		return handOver();
	}

	private long handOver() {
		this.lock.lock();
		try {
			return this.value++;
		}
		finally {
			this.lock.unlock();
		}
	}

}
