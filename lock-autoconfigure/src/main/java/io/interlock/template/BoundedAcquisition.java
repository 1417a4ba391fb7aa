package io.interlock.template;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import io.interlock.LockAttempt;
import io.interlock.LockAttempt.Phase;
import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockInterruptedException;
import io.interlock.LockOwner;
import io.interlock.LockProvider;
import io.interlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * The one place where the deadline of an acquisition lives. Invariant: when
 * {@link #await} returns or throws, the attempt is decided; its handle was returned, or
 * there is none, or it was closed.
 */
final class BoundedAcquisition {

	private static final int MAX_RETRIES = 3;

	private final LockRequest request;

	private final @Nullable Duration limit;

	private final HeldLocks heldLocks;

	private final long startedAt = System.nanoTime();

	/**
	 * Begin an acquisition now.
	 * @param request what is asked for, with its wait time
	 * @param tryTimeout bound of an attempt that does not wait for others
	 * @param heldLocks what this JVM holds
	 */
	BoundedAcquisition(LockRequest request, Duration tryTimeout, HeldLocks heldLocks) {
		this.request = request;
		Duration waitTime = request.waitTime();
		this.limit = (waitTime != null && waitTime.isZero()) ? tryTimeout : waitTime;
		this.heldLocks = heldLocks;
	}

	/**
	 * Acquire. A grant that is not known to be held any more when its caller wakes up to
	 * it is no grant: the body has not begun, so the caller goes on waiting. A provider
	 * that keeps granting such locks is believed in the end.
	 * @param provider where the lock comes from
	 * @return the grant, or {@code null} if others hold the lock
	 * @throws LockException if it is not known who holds the lock, or the thread was
	 * interrupted
	 */
	@Nullable LockHandle await(LockProvider provider) {
		LockHandle grant = await(begin((owner) -> provider.attempt(this.request, owner)));
		for (int retries = 0; grant != null && !grant.isValid() && retries < MAX_RETRIES; retries++) {
			grant.closeAsync();
			grant = await(begin((owner) -> provider.retry(this.request, owner)));
		}
		return grant;
	}

	private LockAttempt begin(Function<LockOwner, LockAttempt> provider) {
		try {
			return provider.apply(LockOwner.current());
		}
		catch (RuntimeException ex) {
			throw Failures.failed(this.request.id(), waited(), ex);
		}
	}

	private @Nullable LockHandle await(LockAttempt attempt) {
		try {
			return get(attempt.outcome()).orElse(null);
		}
		catch (TimeoutException ex) {
			return atDeadline(attempt);
		}
		catch (InterruptedException ex) {
			throw afterInterrupt(attempt);
		}
		catch (CancellationException ex) {
			throw Failures.failed(this.request.id(), waited(), ex);
		}
		catch (ExecutionException ex) {
			throw Failures.failed(this.request.id(), waited(), unwrapped(ex));
		}
	}

	private Optional<LockHandle> get(CompletableFuture<Optional<LockHandle>> outcome)
			throws InterruptedException, ExecutionException, TimeoutException {
		if (this.limit == null || this.limit.equals(LockRequest.FOREVER)) {
			return outcome.get();
		}
		long left = TimeUnit.NANOSECONDS.convert(this.limit) - (System.nanoTime() - this.startedAt);
		return outcome.get(Math.max(0, left), TimeUnit.NANOSECONDS);
	}

	private LockInterruptedException afterInterrupt(LockAttempt attempt) {
		RuntimeException failure = null;
		try {
			LockHandle late = abandon(attempt);
			if (late != null) {
				late.closeAsync();
			}
		}
		catch (RuntimeException ex) {
			failure = ex;
		}
		finally {
			Thread.currentThread().interrupt();
		}
		return Failures.interrupted(this.request.id(), waited(), failure);
	}

	private @Nullable LockHandle atDeadline(LockAttempt attempt) {
		Phase phase = attempt.phase();
		LockHandle grant = abandon(attempt);
		if (grant != null) {
			return grant;
		}
		if (phase == Phase.QUEUED || this.heldLocks.holderBefore(this.request) != null) {
			return null;
		}
		throw Failures.unavailable(this.request.id(), waited(), phase);
	}

	/**
	 * Give up, unless the grant came first.
	 */
	private @Nullable LockHandle abandon(LockAttempt attempt) {
		attempt.abandon();
		try {
			return attempt.outcome().join().orElse(null);
		}
		catch (CancellationException ex) {
			return null;
		}
		catch (RuntimeException ex) {
			throw Failures.failed(this.request.id(), waited(), unwrapped(ex));
		}
	}

	private static Throwable unwrapped(Exception ex) {
		Throwable cause = ex.getCause();
		return (cause != null) ? cause : ex;
	}

	Duration waited() {
		return Duration.ofNanos(System.nanoTime() - this.startedAt);
	}

}
