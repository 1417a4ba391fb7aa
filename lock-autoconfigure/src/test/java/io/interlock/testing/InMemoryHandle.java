package io.interlock.testing;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockLostException;
import io.interlock.LockMode;
import io.interlock.LockRequest;

import org.springframework.util.Assert;

/**
 * A grant that a test can lose. A loss is known to the handle before its actions run, as
 * with a real service, where they run on a thread of their own.
 */
public final class InMemoryHandle implements LockHandle {

	private final LockRequest request;

	private final long token;

	private final AtomicInteger openHandles;

	private final Instant acquiredAt = Instant.now();

	private final AtomicInteger closes = new AtomicInteger();

	private final AtomicInteger asyncCloses = new AtomicInteger();

	private final List<Runnable> lossActions = new ArrayList<>();

	private volatile boolean lost;

	private volatile boolean suspended;

	private volatile boolean refusesLossActions;

	private final AtomicInteger verifications = new AtomicInteger();

	private volatile Runnable onClose = () -> {
	};

	private volatile Runnable onVerify = () -> {
	};

	InMemoryHandle(LockRequest request, long token, AtomicInteger openHandles) {
		this.request = request;
		this.token = token;
		this.openHandles = openHandles;
	}

	/**
	 * Lose the lock, and tell; nothing happens if it is released.
	 */
	public void lose() {
		if (!isClosed()) {
			loseInRelease();
		}
	}

	public void loseInRelease() {
		noticeLoss();
		tellLoss();
	}

	/**
	 * Lose the lock; {@link #tellLoss} is still under way.
	 */
	public synchronized void noticeLoss() {
		this.lost = true;
	}

	public void tellLoss() {
		List<Runnable> actions;
		synchronized (this) {
			actions = List.copyOf(this.lossActions);
			this.lossActions.clear();
		}
		actions.forEach(Runnable::run);
	}

	public void suspend() {
		this.suspended = true;
	}

	public void resume() {
		this.suspended = false;
	}

	/**
	 * Do something in the first {@link #close}.
	 * @param action for example {@link #lose}: the loss is found by the release
	 */
	public void whenClosed(Runnable action) {
		this.onClose = action;
	}

	/**
	 * Do something in each {@link #verify}, while this lock is not lost.
	 * @param action for example {@link #resume}: the service answers
	 */
	public void whenVerified(Runnable action) {
		this.onVerify = action;
	}

	public int verifications() {
		return this.verifications.get();
	}

	public void refuseLossActions() {
		this.refusesLossActions = true;
	}

	/**
	 * Return how often somebody closed this handle and waited.
	 * @return the number
	 */
	public int closes() {
		return this.closes.get();
	}

	/**
	 * Return how often somebody closed this handle without waiting.
	 * @return the number
	 */
	public int asyncCloses() {
		return this.asyncCloses.get();
	}

	public boolean isClosed() {
		return this.closes.get() + this.asyncCloses.get() > 0;
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
	public boolean isLost() {
		return this.lost;
	}

	@Override
	public boolean contended() {
		return this.token % 2 == 0;
	}

	@Override
	public boolean isValid() {
		return !isClosed() && !this.lost && !this.suspended;
	}

	@Override
	public void verify() {
		this.verifications.incrementAndGet();
		if (this.lost) {
			throw new LockLostException("verified: lost", id(), Duration.ZERO, null);
		}
		this.onVerify.run();
	}

	@Override
	public void onLoss(Runnable action) {
		Assert.state(!this.refusesLossActions, "provider bug");
		synchronized (this) {
			if (!this.lost) {
				this.lossActions.add(action);
				return;
			}
		}
		action.run();
	}

	@Override
	public void close() {
		closed(this.closes);
	}

	@Override
	public void closeAsync() {
		closed(this.asyncCloses);
	}

	private void closed(AtomicInteger counter) {
		boolean first = !isClosed();
		counter.incrementAndGet();
		if (first) {
			this.openHandles.decrementAndGet();
			this.onClose.run();
		}
	}

}
