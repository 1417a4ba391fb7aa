package io.interlock.template;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.interlock.LockId;
import io.interlock.LockState;
import io.interlock.provider.LockGrant;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Releases the grant of a hold and reports a loss that the release finds. */
final class GrantRelease {

	private static final Log logger = LogFactory.getLog(GrantRelease.class);

	private GrantRelease() {
	}

	/** Release a grant. Actions for a loss run on another thread. Zero does not wait. */
	static void release(LockGrant grant, Actions<LockState> actions, Duration timeout) {
		try {
			CompletableFuture<LockState> release = grant.release();
			if (!release.isDone() && !timeout.isZero()) {
				await(release, grant.request().id(), timeout);
			}
			AtomicBoolean closing = new AtomicBoolean(true);
			release.thenAccept((state) -> {
				if (state == LockState.LOST) {
					actions.tellLast(state, closing.get() ? AsyncThreads::tell : Runnable::run);
				}
			});
			closing.set(false);
		}
		catch (RuntimeException ex) {
			logger.warn("Releasing lock %s failed; what the body returned or threw is not affected"
				.formatted(grant.request().id()), ex);
		}
	}

	private static void await(CompletableFuture<LockState> release, LockId id, Duration timeout) {
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
