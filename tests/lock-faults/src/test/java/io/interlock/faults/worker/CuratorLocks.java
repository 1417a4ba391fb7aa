package io.interlock.faults.worker;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.interlock.faults.check.Outcome;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.jspecify.annotations.Nullable;

/**
 * Locks made of Curator's recipes alone.
 */
abstract class CuratorLocks implements Locks {

	private static final Duration LONGEST_WAIT = Duration.ofHours(1);

	@Override
	public final Answer acquire(String key, boolean shared, Duration wait) {
		try {
			Held held = hold(key, shared, (wait.compareTo(LONGEST_WAIT) < 0) ? wait : LONGEST_WAIT);
			return (held != null) ? Answer.acquired(held) : Answer.without(Outcome.CONTENDED);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return Answer.without(Outcome.INTERRUPTED);
		}
		catch (Exception ex) {
			return Answer.without(Outcome.UNAVAILABLE);
		}
	}

	/**
	 * Acquire a lock.
	 * @return the lock, or {@code null} if somebody else has it
	 * @throws Exception if it fails
	 */
	abstract @Nullable Held hold(String key, boolean shared, Duration wait) throws Exception;

	static boolean acquire(InterProcessMutex mutex, Duration wait) throws Exception {
		return mutex.acquire(wait.toMillis(), TimeUnit.MILLISECONDS);
	}

	@Override
	public abstract CuratorFramework client();

	@Override
	public void close() {
		client().close();
	}

	/**
	 * A hold, of which Curator says for how long it lasts: as long as its holder likes.
	 */
	static class Hold implements Held {

		private final InterProcessMutex mutex;

		Hold(InterProcessMutex mutex) {
			this.mutex = mutex;
		}

		@Override
		public long token() {
			return 0;
		}

		@Override
		public boolean isValid() {
			return this.mutex.isOwnedByCurrentThread();
		}

		@Override
		public long lostAt() {
			return Long.MAX_VALUE;
		}

		/**
		 * On another thread {@code release} throws, and the node stays (CURATOR-347).
		 */
		@Override
		public boolean closesOnAnyThread() {
			return false;
		}

		@Override
		public void close() {
			try {
				this.mutex.release();
			}
			catch (IllegalMonitorStateException ex) {
				throw ex;
			}
			catch (Exception ex) {
				// What its users do too: the guaranteed delete goes on, or the session
				// ends it.
			}
		}

	}

}
