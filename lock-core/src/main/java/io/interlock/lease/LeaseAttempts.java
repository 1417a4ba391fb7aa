package io.interlock.lease;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListSet;

import io.interlock.LockId;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of this instance that are undecided, or have a question under way, by
 * their locks. What the store tells one of them about their lock, the others learn here:
 * <ul>
 * <li>The lock is granted. Callers that do not wait are refused, because a hold of this
 * instance excludes them, before the store has answered each of them.
 * <li>A grant comes too late for its caller. It goes to another one.
 * <li>The lock is reported free. Each asks again.
 * </ul>
 * Invariant: after {@link #close()} no attempt stays undecided.
 */
final class LeaseAttempts implements LeaseAttempt.Siblings, LeaseReleases.Listener {

	/** By the store's identifiers of locks. */
	private final ConcurrentMap<LockId, Set<LeaseAttempt>> attempts = new ConcurrentHashMap<>();

	private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

	private volatile boolean closed;

	void add(LeaseAttempt attempt) {
		this.attempts.compute(attempt.lock().withProvider(null), (id, present) -> {
			Set<LeaseAttempt> attempts = (present != null) ? present : new ConcurrentSkipListSet<>(LeaseAttempt.ORDER);
			attempts.add(attempt);
			return attempts;
		});
		if (this.closed) {
			attempt.close();
		}
	}

	@Override
	public void remove(LeaseAttempt attempt) {
		this.attempts.computeIfPresent(attempt.lock().withProvider(null), (id, attempts) -> {
			attempts.remove(attempt);
			return attempts.isEmpty() ? null : attempts;
		});
		endIfClosed();
	}

	@Override
	public void give(LeaseGrant grant, LeaseAttempt receiver) {
		if (!isTaken(grant, receiver)) {
			passOn(grant);
		}
	}

	/** The receiver may be faster than this thread, and release the lock meanwhile. */
	private boolean isTaken(LeaseGrant grant, LeaseAttempt receiver) {
		List<LeaseAttempt> others = List.copyOf(at(receiver.lock()));
		boolean taken = receiver.take(grant);
		if (taken) {
			others.forEach((attempt) -> attempt.grantedToOther(grant));
		}
		return taken;
	}

	/**
	 * Give a grant to another attempt that asks for the same. It has the place of that
	 * caller, so no waiter waits for longer than if that one had stayed; where all
	 * callers give up soon, none would get the lock otherwise.
	 */
	private void passOn(LeaseGrant grant) {
		if (at(grant.contender().lock()).stream().noneMatch((attempt) -> isTaken(grant, attempt))) {
			grant.release();
		}
	}

	@Override
	public boolean isAskedBefore(long moment, LeaseAttempt except) {
		return at(except.lock()).stream().anyMatch((attempt) -> attempt != except && attempt.isAskedBefore(moment));
	}

	@Override
	public void released(LockId id, long token) {
		at(id).forEach((attempt) -> attempt.releasedHere(token));
	}

	@Override
	public void wake(LockId id) {
		at(id).forEach(LeaseAttempt::ask);
	}

	private Set<LeaseAttempt> at(LockId id) {
		return this.attempts.getOrDefault(id.withProvider(null), Set.of());
	}

	/** Fail all, and complete when no question is under way any more. */
	CompletableFuture<@Nullable Void> close() {
		this.closed = true;
		closeAll();
		endIfClosed();
		return this.ended;
	}

	private void closeAll() {
		this.attempts.values().stream().flatMap(Set::stream).toList().forEach(LeaseAttempt::close);
	}

	private void endIfClosed() {
		if (this.closed && this.attempts.isEmpty()) {
			this.ended.complete(null);
		}
	}

}
