package io.interlock.queue;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.interlock.LockAttempt;
import io.interlock.LockHandle;
import io.interlock.LockMode;
import io.interlock.LockOwner;
import io.interlock.LockRequest;

/**
 * A caller in a queue. Invariant: it is decided once, by whoever comes first: the queue,
 * which grants or refuses, or the caller, who gives up. Whoever decides completes the
 * outcome, the queue after it has let go of its lock.
 */
final class Waiter implements LockAttempt {

	private final LockRequest request;

	private final LockOwner owner;

	private final LockQueue queue;

	private final CompletableFuture<Optional<LockHandle>> outcome = new CompletableFuture<>();

	private final AtomicBoolean decided = new AtomicBoolean();

	Waiter(LockRequest request, LockOwner owner, LockQueue queue) {
		this.request = request;
		this.owner = owner;
		this.queue = queue;
	}

	LockRequest request() {
		return this.request;
	}

	LockOwner owner() {
		return this.owner;
	}

	LockMode mode() {
		return this.request.mode();
	}

	boolean isUndecided() {
		return !this.decided.get();
	}

	/**
	 * Decide.
	 * @return whether the caller of this method came first, and has to complete the
	 * outcome
	 */
	boolean decide() {
		return this.decided.compareAndSet(false, true);
	}

	void grant(TenureHandle handle) {
		this.outcome.complete(Optional.of(handle));
	}

	void refuse() {
		this.outcome.complete(Optional.empty());
	}

	/**
	 * Fail, unless it was decided before.
	 * @param failure what to tell the caller
	 * @param effects where to note what is to be done without the lock of the queue
	 */
	void fail(Throwable failure, List<Runnable> effects) {
		if (decide()) {
			effects.add(() -> this.outcome.completeExceptionally(failure));
		}
	}

	@Override
	public CompletableFuture<Optional<LockHandle>> outcome() {
		return this.outcome;
	}

	@Override
	public Phase phase() {
		return this.queue.phase();
	}

	@Override
	public void abandon() {
		if (decide()) {
			this.outcome.cancel(false);
			this.queue.remove(this);
		}
		else {
			// Whoever decided is about to complete it.
			this.outcome.handle((handle, failure) -> handle).join();
		}
	}

}
