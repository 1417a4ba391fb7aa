package io.interlock.template;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockLostException;
import io.interlock.LockMode;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockProvider;
import io.interlock.LockRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Acquires locks from a {@link LockProvider}. It adds the deadline, re-entrance, the
 * policies of a request, and the listeners. Immutable and safe for use by many threads.
 * <p>
 * Re-entrance is decided by thread and {@link io.interlock.LockId}: a thread that asks
 * again for what it holds joins its own hold, shared inside exclusive included, which
 * then ends when all its handles are closed, in any order and by any thread. Exclusive
 * inside shared is refused.
 *
 * @since 0.1.0
 */
public class LockTemplate implements LockOperations {

	private final HeldLocks heldLocks;

	private final HoldAcquirer holds;

	/**
	 * Create a template with default settings and without listeners.
	 * @param provider where the locks come from
	 */
	public LockTemplate(LockProvider provider) {
		this(provider, LockSettings.defaults(), new HeldLocks(), List.of());
	}

	/**
	 * Create a template.
	 * @param provider where the locks come from
	 * @param settings how long to wait
	 * @param heldLocks where holds and waits are noted; not shared with another template
	 * @param listeners who is told, in this order
	 */
	public LockTemplate(LockProvider provider, LockSettings settings, HeldLocks heldLocks,
			List<LockListener> listeners) {
		Assert.notNull(provider, "'provider' must not be null");
		Assert.notNull(settings, "'settings' must not be null");
		Assert.notNull(heldLocks, "'heldLocks' must not be null");
		Assert.notNull(listeners, "'listeners' must not be null");
		this.heldLocks = heldLocks;
		this.holds = new HoldAcquirer(provider, settings, heldLocks, new LockListeners(listeners));
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockCallback<T, E> action)
			throws E {
		Assert.notNull(action, "'action' must not be null");
		return run(open(request), action);
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> LockOutcome<T> tryExecute(LockRequest request,
			LockCallback<T, E> action) throws E {
		Assert.notNull(action, "'action' must not be null");
		HoldHandle handle = tryOpen(request);
		return (handle != null) ? LockOutcome.acquired(this.<T, E>run(handle, action)) : LockOutcome.notAcquired();
	}

	@Override
	public LockHandle acquire(LockRequest request) {
		return open(request);
	}

	@Override
	public Optional<LockHandle> tryAcquire(LockRequest request) {
		return Optional.ofNullable(tryOpen(request));
	}

	private <T extends @Nullable Object, E extends Throwable> T run(HoldHandle handle, LockCallback<T, E> action)
			throws E {
		T result;
		try {
			result = action.doInLock(handle);
		}
		catch (Throwable ex) {
			LockLostException loss = handle.endBody();
			if (loss != null && !(ex instanceof LockLostException)) {
				ex.addSuppressed(loss);
			}
			throw ex;
		}
		LockLostException loss = handle.endBody();
		if (loss != null) {
			throw loss;
		}
		return result;
	}

	private HoldHandle open(LockRequest request) {
		long startedAt = System.nanoTime();
		HoldHandle handle = joinOrAcquire(request);
		if (handle == null) {
			throw Failures.notAcquired(request.id(), Duration.ofNanos(System.nanoTime() - startedAt),
					this.heldLocks.holderBefore(request));
		}
		return handle;
	}

	private @Nullable HoldHandle tryOpen(LockRequest request) {
		try {
			return joinOrAcquire(request);
		}
		catch (LockNotAcquiredException ex) {
			return null;
		}
	}

	private @Nullable HoldHandle joinOrAcquire(LockRequest request) {
		Assert.notNull(request, "'request' must not be null");
		Hold own = LockContext.findHold(request.id(), this.heldLocks);
		if (own != null && own.join()) {
			return joined(own, request);
		}
		Hold hold = this.holds.acquire(request);
		return (hold != null) ? opened(hold, request) : null;
	}

	private HoldHandle joined(Hold hold, LockRequest request) {
		try {
			if (!hold.isExclusive() && request.mode() == LockMode.EXCLUSIVE) {
				throw Failures.upgrade(request);
			}
			hold.throwIfLost();
		}
		catch (LockException ex) {
			hold.leave(true);
			throw ex;
		}
		return opened(hold, request);
	}

	private HoldHandle opened(Hold hold, LockRequest request) {
		TransactionRelease.keep(hold, request);
		return HoldHandle.open(hold, request);
	}

}
