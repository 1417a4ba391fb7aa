package io.interlock.testing;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockAttempt;
import io.interlock.LockHandle;
import io.interlock.LockOwner;
import io.interlock.LockRequest;

/**
 * An attempt that a test decides.
 */
public final class InMemoryAttempt implements LockAttempt {

	private final LockRequest request;

	private final LockOwner owner;

	private final InMemoryHandle handle;

	private final AtomicInteger openHandles;

	private final CompletableFuture<Optional<LockHandle>> outcome = new CompletableFuture<>();

	private volatile Phase phase = Phase.QUEUED;

	private volatile Runnable onAbandon = () -> {
	};

	private volatile boolean abandoned;

	InMemoryAttempt(LockRequest request, LockOwner owner, long token, AtomicInteger openHandles) {
		this.request = request;
		this.owner = owner;
		this.openHandles = openHandles;
		this.handle = new InMemoryHandle(request, token, openHandles);
	}

	/**
	 * Grant the lock. A grant that comes too late is closed, as the contract demands.
	 */
	public void grant() {
		this.openHandles.incrementAndGet();
		if (!this.outcome.complete(Optional.of(this.handle))) {
			this.handle.closeAsync();
		}
	}

	public void deny() {
		this.outcome.complete(Optional.empty());
	}

	public void fail(Throwable failure) {
		this.outcome.completeExceptionally(failure);
	}

	public InMemoryAttempt at(Phase phase) {
		this.phase = phase;
		return this;
	}

	/**
	 * Do something in the last instant before this attempt is given up.
	 * @param action what to do, for example {@link #grant}
	 * @return this
	 */
	public InMemoryAttempt whenAbandoned(Runnable action) {
		this.onAbandon = action;
		return this;
	}

	@Override
	public CompletableFuture<Optional<LockHandle>> outcome() {
		return this.outcome;
	}

	@Override
	public Phase phase() {
		return this.phase;
	}

	@Override
	public void abandon() {
		this.onAbandon.run();
		this.abandoned = true;
		this.outcome.cancel(false);
	}

	public LockRequest request() {
		return this.request;
	}

	public LockOwner owner() {
		return this.owner;
	}

	public InMemoryHandle handle() {
		return this.handle;
	}

	public boolean isAbandoned() {
		return this.abandoned;
	}

}
