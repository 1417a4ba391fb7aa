package io.interlock.template;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.interlock.LockId;
import io.interlock.LockState;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Waits for the answer of the servers to a release.
 */
final class ReleaseWait {

	private static final Log logger = LogFactory.getLog(ReleaseWait.class);

	private ReleaseWait() {
	}

	/**
	 * Wait for the answer, at most for the release timeout, and keep the interrupt flag.
	 */
	static void await(CompletableFuture<LockState> release, LockId id, Duration timeout) {
		long deadline = System.nanoTime() + TimeUnit.NANOSECONDS.convert(timeout);
		boolean interrupted = false;
		try {
			while (!release.isDone()) {
				try {
					release.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		catch (TimeoutException ex) {
			logger.warn(
					"Lock %s was not released within %s; the release goes on in the background".formatted(id, timeout));
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException("A release never fails", ex);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

}
