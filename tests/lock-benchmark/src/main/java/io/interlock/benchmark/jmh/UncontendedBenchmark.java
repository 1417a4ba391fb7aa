package io.interlock.benchmark.jmh;

import java.util.concurrent.TimeUnit;

import io.interlock.LockRequest;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A lock that no other thread wants: what there is to do beside the server.
 *
 * @since 0.1.0
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class UncontendedBenchmark {

	/**
	 * Lock and unlock one key over and over.
	 * @param locks the locks
	 * @return something that depends on the lock
	 */
	@Benchmark
	public long sameKey(LocalLocks locks) {
		return locks.lockHotKey();
	}

	/**
	 * Lock and unlock one key after the other.
	 * @param locks the locks
	 * @param keys the keys
	 * @return something that depends on the lock
	 */
	@Benchmark
	public long newKey(LocalLocks locks, Keys keys) {
		return locks.lock(keys.next());
	}

	/**
	 * Keys without end.
	 */
	@State(Scope.Thread)
	public static class Keys {

		private static final LockRequest REQUEST = LockRequest.exclusive("benchmark").withWaitTime(LockRequest.FOREVER);

		private long last;

		LockRequest next() {
			return REQUEST.withKey(this.last++);
		}

	}

}
