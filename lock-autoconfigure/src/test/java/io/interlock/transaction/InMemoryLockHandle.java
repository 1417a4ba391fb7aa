package io.interlock.transaction;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockLostException;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;

/**
 * A hold whose fate the test decides.
 */
final class InMemoryLockHandle implements LockHandle {

	private final LockRequest request;

	private final long token;

	private final Runnable onRelease;

	private final Instant acquiredAt = Instant.now();

	private final CopyOnWriteArrayList<Runnable> lossActions = new CopyOnWriteArrayList<>();

	private final AtomicInteger verifications = new AtomicInteger();

	private volatile State state = State.HELD;

	private volatile Release release = Release.NONE;

	InMemoryLockHandle(LockRequest request, long token, Runnable onRelease) {
		this.request = request;
		this.token = token;
		this.onRelease = onRelease;
	}

	void lose() {
		this.state = State.LOST;
		this.lossActions.forEach(Runnable::run);
	}

	void suspend(boolean answering) {
		this.state = answering ? State.SUSPENDED : State.UNREACHABLE;
	}

	int verifications() {
		return this.verifications.get();
	}

	Release release() {
		return this.release;
	}

	@Override
	public LockId id() {
		return this.request.id();
	}

	@Override
	public LockMode mode() {
		return this.request.mode();
	}

	@Override
	public Instant acquiredAt() {
		return this.acquiredAt;
	}

	@Override
	public long fencingToken() {
		return this.token;
	}

	@Override
	public boolean isValid() {
		return this.state == State.HELD && this.release == Release.NONE;
	}

	@Override
	public void verify() {
		this.verifications.incrementAndGet();
		switch (this.state) {
			case LOST -> throw new LockLostException("lost", id(), Duration.ZERO, null);
			case UNREACHABLE -> throw new LockServiceUnavailableException("no answer", id(), Duration.ZERO, null);
			case SUSPENDED -> this.state = State.HELD;
			case HELD -> {
			}
		}
	}

	@Override
	public void onLoss(Runnable action) {
		this.lossActions.add(action);
	}

	@Override
	public void close() {
		release(Release.WAITED_FOR);
	}

	@Override
	public void closeAsync() {
		release(Release.STARTED);
	}

	private void release(Release release) {
		if (this.release == Release.NONE) {
			this.release = release;
			this.onRelease.run();
		}
	}

	enum Release {

		NONE, STARTED, WAITED_FOR

	}

	private enum State {

		HELD, SUSPENDED, UNREACHABLE, LOST

	}

}
