package io.interlock.benchmark.memory;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.interlock.LockAttempt;
import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * A place in the queue of one lock: a list in which each knows who follows.
 */
final class InMemoryAttempt implements LockAttempt {

	private final InMemoryLockProvider provider;

	private final LockRequest request;

	private final long token;

	private final CompletableFuture<Optional<LockHandle>> outcome = new CompletableFuture<>();

	/** Who follows; this attempt itself once its turn is over. */
	private final AtomicReference<@Nullable InMemoryAttempt> next = new AtomicReference<>();

	InMemoryAttempt(InMemoryLockProvider provider, LockRequest request, long token) {
		this.provider = provider;
		this.request = request;
		this.token = token;
	}

	LockId id() {
		return this.request.id();
	}

	/**
	 * Queue behind this attempt.
	 * @param attempt who follows
	 * @return {@code false} if the turn of this one is over
	 */
	boolean follow(InMemoryAttempt attempt) {
		return this.next.compareAndSet(null, attempt);
	}

	void grant() {
		InMemoryHandle handle = new InMemoryHandle(this.request, this.token, this::end);
		if (!this.outcome.complete(Optional.of(handle))) {
			handle.close();
		}
	}

	private void end() {
		InMemoryAttempt follower = this.next.compareAndSet(null, this) ? null : this.next.get();
		this.provider.ended(this, follower);
	}

	@Override
	public CompletableFuture<Optional<LockHandle>> outcome() {
		return this.outcome;
	}

	@Override
	public Phase phase() {
		return Phase.QUEUED;
	}

	@Override
	public void abandon() {
		this.outcome.cancel(false);
	}

}
