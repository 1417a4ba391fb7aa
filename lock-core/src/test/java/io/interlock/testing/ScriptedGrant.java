package io.interlock.testing;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.provider.LockGrant;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * A grant that a test can lose. A loss is known to the grant before its listener is told,
 * as with a real service, where that happens on a thread of its own.
 */
public final class ScriptedGrant implements LockGrant {

	private final LockRequest request;

	private final long token;

	private final AtomicInteger openGrants;

	private final AtomicInteger releases = new AtomicInteger();

	private final AtomicInteger verifications = new AtomicInteger();

	private final CompletableFuture<LockState> answer = new CompletableFuture<>();

	private final CompletableFuture<Boolean> contention = new CompletableFuture<>();

	private final AtomicInteger watched = new AtomicInteger();

	private volatile @Nullable CompletableFuture<Boolean> keeps = CompletableFuture.completedFuture(false);

	private volatile @Nullable Duration keptFor;

	private @Nullable Consumer<LockState> listener;

	private LockState told = LockState.VALID;

	private volatile boolean lost;

	private volatile boolean suspended;

	private volatile boolean covered;

	private volatile boolean refusesListeners;

	private volatile boolean answersReleases = true;

	private volatile Runnable onRelease = () -> {
	};

	private volatile Runnable onVerify = () -> {
	};

	private volatile Runnable onLook = () -> {
	};

	ScriptedGrant(LockRequest request, long token, AtomicInteger openGrants) {
		this.request = request;
		this.token = token;
		this.openGrants = openGrants;
	}

	/**
	 * Lose the lock, and tell; nothing happens if it is released.
	 */
	public void lose() {
		if (!isReleased()) {
			noticeLoss();
			tellState();
		}
	}

	/**
	 * Lose the lock; {@link #tellState} is still under way.
	 */
	public void noticeLoss() {
		this.lost = true;
	}

	/**
	 * Suspend the connection; {@link #tellState} is still under way.
	 */
	public void suspend() {
		this.suspended = true;
	}

	/**
	 * Suspend the connection while the lease of the session still covers the lock.
	 */
	public void suspendCovered() {
		this.covered = true;
		suspend();
	}

	/**
	 * Resume the connection; {@link #tellState} is still under way.
	 */
	public void resume() {
		this.suspended = false;
	}

	public void tellState() {
		tell(state());
	}

	/**
	 * Bring news that comes late: the state may have changed since.
	 */
	public void tellLate(LockState news) {
		Consumer<LockState> listener;
		synchronized (this) {
			listener = this.listener;
		}
		Assert.state(listener != null, "There is a listener");
		listener.accept(news);
	}

	private void tell(LockState state) {
		Consumer<LockState> listener;
		synchronized (this) {
			if (this.listener == null || this.told == state || this.told == LockState.LOST
					|| state == LockState.RELEASED) {
				return;
			}
			this.told = state;
			listener = this.listener;
		}
		listener.accept(state);
	}

	/**
	 * Do something in the first {@link #release}.
	 * @param action for example {@link #noticeLoss}: the loss is found by the release
	 */
	public void whenReleased(Runnable action) {
		this.onRelease = action;
	}

	/**
	 * Lose the lock in such a way that its release finds out.
	 */
	public void noticeLossInRelease() {
		whenReleased(this::noticeLoss);
	}

	/**
	 * Leave {@link #release} without an answer until {@link #answerRelease}.
	 */
	public void answersNoRelease() {
		this.answersReleases = false;
	}

	public void answerRelease() {
		this.answer.complete(this.lost ? LockState.LOST : LockState.RELEASED);
	}

	/**
	 * Say later whether the service keeps the lock without this instance.
	 * @param keeps completed with that, or {@code null} to fail at once
	 */
	public void keeps(@Nullable CompletableFuture<Boolean> keeps) {
		this.keeps = keeps;
	}

	/**
	 * Return for how long the lock was to be kept.
	 * @return the rest of its minimum time, or {@code null} if it was not kept
	 */
	public @Nullable Duration keptFor() {
		return this.keptFor;
	}

	@Override
	public CompletableFuture<Boolean> keep(Duration rest) {
		Assert.state(this.keptFor == null && !isReleased(), "A grant is kept once, and before its release");
		this.keptFor = rest;
		CompletableFuture<Boolean> keeps = this.keeps;
		Assert.state(keeps != null, "This grant fails");
		return keeps;
	}

	/**
	 * Let another contender stand behind this grant.
	 */
	public void contend() {
		this.contention.complete(true);
	}

	/**
	 * Return whether somebody wants to know of other contenders.
	 * @return whether {@link #onContention} was called
	 */
	public boolean isWatched() {
		return this.watched.get() > 0;
	}

	@Override
	public void onContention(Runnable action) {
		Assert.state(this.watched.incrementAndGet() == 1, "Contention is watched once");
		this.contention.thenRun(action);
	}

	/**
	 * Do something in each {@link #verify}, while this lock is not lost.
	 * @param action for example {@link #resume}: the service answers
	 */
	public void whenVerified(Runnable action) {
		this.onVerify = action;
	}

	/**
	 * Do something each time that the state is asked for.
	 * @param action for example {@link #resume}: the connection is back at the first look
	 */
	public void whenLookedAt(Runnable action) {
		this.onLook = action;
	}

	public int verifications() {
		return this.verifications.get();
	}

	public void refuseListeners() {
		this.refusesListeners = true;
	}

	/**
	 * Return how often this grant was released.
	 * @return the number
	 */
	public int releases() {
		return this.releases.get();
	}

	public boolean isReleased() {
		return this.releases.get() > 0;
	}

	@Override
	public LockRequest request() {
		return this.request;
	}

	@Override
	public long fencingToken() {
		return this.token;
	}

	@Override
	public boolean contended() {
		return this.token % 2 == 0;
	}

	@Override
	public LockState state() {
		this.onLook.run();
		if (this.lost) {
			return LockState.LOST;
		}
		if (isReleased()) {
			return LockState.RELEASED;
		}
		return this.suspended ? LockState.UNCONFIRMED : LockState.VALID;
	}

	@Override
	public boolean isCovered() {
		return state() == LockState.VALID || (state() == LockState.UNCONFIRMED && this.covered);
	}

	@Override
	public void verify() {
		this.verifications.incrementAndGet();
		if (this.lost) {
			throw new LockLostException("verified: lost", this.request.id(), Duration.ZERO, null);
		}
		Assert.state(!isReleased(), "released already");
		this.onVerify.run();
	}

	@Override
	public void onStateChange(Consumer<LockState> listener) {
		Assert.state(!this.refusesListeners, "provider bug");
		synchronized (this) {
			Assert.state(this.listener == null, "A grant has one listener");
			this.listener = listener;
		}
		tellState();
	}

	@Override
	public CompletableFuture<LockState> release() {
		if (this.releases.incrementAndGet() == 1) {
			this.openGrants.decrementAndGet();
			this.onRelease.run();
			if (this.answersReleases) {
				answerRelease();
			}
		}
		return this.answer;
	}

}
