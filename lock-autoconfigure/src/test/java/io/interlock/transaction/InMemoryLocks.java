package io.interlock.transaction;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

import io.interlock.LockAttempt;
import io.interlock.LockHandle;
import io.interlock.LockOwner;
import io.interlock.LockProvider;
import io.interlock.LockRequest;

/**
 * Grants every lock at once, and loses or suspends those that are held on demand.
 */
final class InMemoryLocks implements LockProvider {

	private final AtomicLong tokens = new AtomicLong();

	private final CopyOnWriteArrayList<InMemoryLockHandle> granted = new CopyOnWriteArrayList<>();

	private volatile Runnable onRelease = () -> {
	};

	@Override
	public LockAttempt attempt(LockRequest request, LockOwner owner) {
		InMemoryLockHandle handle = new InMemoryLockHandle(request, this.tokens.incrementAndGet(), this.onRelease);
		this.granted.add(handle);
		return new GrantedAttempt(handle);
	}

	void loseAll() {
		this.granted.forEach(InMemoryLockHandle::lose);
	}

	void suspendAll(boolean answering) {
		this.granted.forEach((handle) -> handle.suspend(answering));
	}

	/**
	 * Run an action on the thread that releases, when it begins to.
	 */
	void onRelease(Runnable action) {
		this.onRelease = action;
	}

	InMemoryLockHandle last() {
		return this.granted.get(this.granted.size() - 1);
	}

	int grants() {
		return this.granted.size();
	}

	int verifications() {
		return this.granted.stream().mapToInt(InMemoryLockHandle::verifications).sum();
	}

	private record GrantedAttempt(InMemoryLockHandle handle) implements LockAttempt {

		@Override
		public CompletableFuture<Optional<LockHandle>> outcome() {
			return CompletableFuture.completedFuture(Optional.of(this.handle));
		}

		@Override
		public Phase phase() {
			return Phase.QUEUED;
		}

		@Override
		public void abandon() {
		}

	}

}
