package io.interlock.lease;

import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.interlock.LockId;
import io.interlock.LockInterruptedException;
import io.interlock.LockLostException;
import io.interlock.LockMode;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockState;
import io.interlock.provider.LockGrant;
import org.jspecify.annotations.Nullable;

/**
 * A hold: a lease that began, at the earliest, when the request was sent that was
 * answered last. Invariants: {@code released} and {@code lost} are set once and never
 * taken back; the hold is lost before the store can let another contender in; the
 * listener is told of a loss once, unless the hold was released before.
 */
final class LeaseGrant implements LockGrant {

	static final Comparator<LeaseGrant> ORDER = Comparator.comparing((grant) -> grant.contender.id());

	private static final long VERIFY_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private final LeaseContender contender;

	private final long token;

	private final boolean contended;

	private final LeaseLockProvider provider;

	private final long leaseNanos;

	private final AtomicBoolean released = new AtomicBoolean();

	private volatile long confirmedAt;

	private volatile boolean doubted;

	private volatile boolean lost;

	private @Nullable Consumer<LockState> listener;

	private LockState told = LockState.VALID;

	LeaseGrant(LeaseContender contender, long token, long sentAt, boolean contended, LeaseLockProvider provider) {
		this.contender = contender;
		this.token = token;
		this.contended = contended;
		this.provider = provider;
		this.leaseNanos = provider.settings().lease().toNanos();
		this.confirmedAt = sentAt;
	}

	LeaseContender contender() {
		return this.contender;
	}

	private long age() {
		return this.provider.time().nanoTime() - this.confirmedAt;
	}

	/** Return whether there is time for a renewal before the lease is in doubt. */
	boolean isFresh() {
		return age() < this.leaseNanos / 3;
	}

	boolean isOpen() {
		return !this.released.get() && !isLost();
	}

	long confirmedAt() {
		return this.confirmedAt;
	}

	void confirm(long sentAt) {
		if (isOpen()) {
			this.confirmedAt = sentAt;
			this.doubted = false;
			tellState();
		}
	}

	void doubt() {
		this.doubted = true;
		tellState();
	}

	/** Give this hold up, unless released. Its remains in the store only block others. */
	void lose() {
		if (!this.released.get()) {
			this.lost = true;
			if (tellState()) {
				forget();
			}
		}
	}

	/** Give this hold up at shutdown, whether or not the listener can hear of it. */
	void close() {
		lose();
		forget();
	}

	private void forget() {
		if (this.provider.renewal().deregister(this)) {
			this.provider.releases().release(this.contender);
		}
	}

	/** Return whether the listener knows the state. Without a thread, try again. */
	boolean tellState() {
		LockState state = state();
		return state == LockState.RELEASED || !isNews(state) || this.provider.threads().tell(() -> tell(state));
	}

	private synchronized boolean isNews(LockState state) {
		return this.told != state && this.told != LockState.LOST;
	}

	private void tell(LockState state) {
		Consumer<LockState> listener;
		synchronized (this) {
			if (!isNews(state) || this.listener == null || this.released.get()) {
				return;
			}
			this.told = state;
			listener = this.listener;
		}
		listener.accept(state);
	}

	@Override
	public void onStateChange(Consumer<LockState> listener) {
		synchronized (this) {
			this.listener = listener;
		}
		tell(state());
	}

	@Override
	public LockId id() {
		return this.contender.lock();
	}

	@Override
	public LockMode mode() {
		return this.contender.mode();
	}

	@Override
	public boolean contended() {
		return this.contended;
	}

	@Override
	public long fencingToken() {
		return this.token;
	}

	@Override
	public LockState state() {
		if (!this.lost && !this.released.get() && isOver()) {
			// For good: a late answer would make the lease young again. The renewal
			// tells.
			this.lost = true;
		}
		if (this.lost) {
			return LockState.LOST;
		}
		if (this.released.get()) {
			return LockState.RELEASED;
		}
		return isGood() ? LockState.VALID : LockState.UNCONFIRMED;
	}

	/** Two thirds, or the first renewal that fails: the next one should have come. */
	private boolean isGood() {
		return !this.doubted && age() < this.leaseNanos / 3 * 2;
	}

	/** Nine tenths: the rest is for clocks of different rates, and for the news. */
	private boolean isOver() {
		return age() >= this.leaseNanos / 10 * 9;
	}

	@Override
	public boolean isCovered() {
		return !this.released.get() && state() != LockState.LOST;
	}

	@Override
	public void verify() {
		LeaseTime time = this.provider.time();
		long deadline = time.nanoTime() + this.provider.settings().verifyTimeout().toNanos();
		Throwable obstacle = null;
		try {
			while (true) {
				throwIfEnded();
				try {
					boolean held = time.await(ask(), Math.max(0, deadline - time.nanoTime()));
					if (!held) {
						lose();
					}
					throwIfEnded();
					return;
				}
				catch (ExecutionException ex) {
					obstacle = (ex.getCause() != null) ? ex.getCause() : ex;
				}
				if (!LeaseStoreException.mayPass(obstacle) || deadline - time.nanoTime() < VERIFY_PAUSE_NANOS) {
					throw new TimeoutException();
				}
				this.provider.threads().pause(VERIFY_PAUSE_NANOS);
			}
		}
		catch (TimeoutException ex) {
			throwIfEnded();
			throw new LockServiceUnavailableException(
					"Lock %s could not be verified: the store did not answer within %s".formatted(id(),
							this.provider.settings().verifyTimeout()),
					id(), Duration.ZERO, obstacle);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockInterruptedException("Interrupted while lock %s was verified".formatted(id()), id(),
					Duration.ZERO, ex);
		}
	}

	private CompletableFuture<Boolean> ask() {
		try {
			return this.provider.connection().isHeld(this.contender).toCompletableFuture();
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void throwIfEnded() {
		if (isLost()) {
			throw new LockLostException("Lock %s was lost: others may hold it now".formatted(id()), id(), Duration.ZERO,
					null);
		}
		if (this.released.get()) {
			throw new IllegalStateException("Lock %s was released already".formatted(id()));
		}
	}

	@Override
	public CompletableFuture<LockState> release() {
		boolean lostBefore = isLost();
		if (!this.released.compareAndSet(false, true)) {
			return CompletableFuture.completedFuture(state());
		}
		if (!this.provider.renewal().deregister(this)) {
			return CompletableFuture.completedFuture(LockState.LOST);
		}
		CompletableFuture<LockState> release = this.provider.releases().release(this.contender);
		return lostBefore ? CompletableFuture.completedFuture(LockState.LOST) : release;
	}

	@Override
	public String toString() {
		return this.contender + " with token " + this.token;
	}

}
