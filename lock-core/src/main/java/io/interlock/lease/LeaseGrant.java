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
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockState;
import io.interlock.provider.AbstractLockGrant;
import org.jspecify.annotations.Nullable;

/**
 * A hold. Its lease counts from the moment before the newest answered request was sent.
 * Invariants: {@code released} and {@code lost} are set once and never taken back; the
 * hold is lost before the store can let another contender in; the listener is told of a
 * loss once, unless the hold was released before.
 */
final class LeaseGrant extends AbstractLockGrant {

	static final Comparator<LeaseGrant> ORDER = Comparator.comparing((grant) -> grant.contender.id());

	private static final long VERIFY_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private final LeaseContender contender;

	private final LockRequest request;

	private final long token;

	private final boolean contended;

	private final LeaseParts parts;

	private final LeaseRenewal renewal;

	private final long leaseNanos;

	private final AtomicBoolean released = new AtomicBoolean();

	private volatile long confirmedAt;

	private volatile boolean doubted;

	private volatile boolean lost;

	private volatile @Nullable LeaseKeeping keeping;

	LeaseGrant(LeaseContender contender, long token, long sentAt, LockRequest request, boolean contended,
			LeaseParts parts, LeaseRenewal renewal) {
		this.contender = contender;
		this.request = request;
		this.token = token;
		this.contended = contended;
		this.parts = parts;
		this.renewal = renewal;
		this.leaseNanos = parts.settings().lease().toNanos();
		this.confirmedAt = sentAt;
	}

	LeaseContender contender() {
		return this.contender;
	}

	long age() {
		return this.parts.time().nanoTime() - this.confirmedAt;
	}

	boolean isFresh() {
		return age() < this.leaseNanos / 3;
	}

	boolean isOpen() {
		return !this.released.get() && !isLost();
	}

	long confirmedAt() {
		return this.confirmedAt;
	}

	/** Count the lease from a renewal, whose answer may come behind a later one. */
	void confirm(long sentAt) {
		if (isOpen()) {
			extend(sentAt);
			this.doubted = false;
			tellState();
		}
	}

	private synchronized void extend(long sentAt) {
		if (sentAt - this.confirmedAt > 0) {
			this.confirmedAt = sentAt;
		}
	}

	void doubt() {
		this.doubted = true;
		tellState();
	}

	/** Give this hold up, unless it was released, and make the store forget it. */
	void lose() {
		LeaseKeeping keeping = this.keeping;
		if (!this.released.get() && (keeping == null || !keeping.mayBeKept() || isLost())) {
			this.lost = true;
			if (tellState()) {
				this.renewal.release(this);
			}
		}
	}

	void close() {
		lose();
		this.renewal.release(this);
	}

	/** Tell the listener a new state. If there is no thread for that, return false. */
	boolean tellState() {
		LockState state = state();
		return !isNews(state) || this.parts.threads().tell(() -> tellUnlessReleased(state));
	}

	private void tellUnlessReleased(LockState state) {
		if (!this.released.get()) {
			tell(state);
		}
	}

	@Override
	public void onStateChange(Consumer<LockState> listener) {
		tellUnlessReleased(state());
		super.onStateChange(listener);
	}

	@Override
	public LockRequest request() {
		return this.request;
	}

	/** Return whether this hold is what another attempt asks for, too. */
	boolean isFor(LockRequest other) {
		return this.request.id().equals(other.id()) && this.request.mode() == other.mode()
				&& this.request.permits() == other.permits();
	}

	private LockId id() {
		return this.request.id();
	}

	/** A loss is final: a late answer must not make the lease young again. */
	boolean isLost() {
		if (isOver() && !this.released.get()) {
			this.lost = true;
		}
		return this.lost;
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
		if (isLost()) {
			return LockState.LOST;
		}
		if (this.released.get()) {
			return LockState.RELEASED;
		}
		return (isKept() || isGood()) ? LockState.VALID : LockState.UNCONFIRMED;
	}

	/** Within two thirds of the lease, and unless a renewal has failed since. */
	private boolean isGood() {
		return !this.doubted && age() < this.leaseNanos / 3 * 2;
	}

	/** Nine tenths: the rest is for clocks of different rates, and to tell the holder. */
	private boolean isOver() {
		return age() >= this.leaseNanos / 10 * 9 && !isKept();
	}

	private boolean isKept() {
		LeaseKeeping keeping = this.keeping;
		return keeping != null && keeping.isKept();
	}

	@Override
	public boolean isCovered() {
		return !this.released.get() && state() != LockState.LOST;
	}

	@Override
	public void verify() {
		LeaseTime time = this.parts.time();
		long deadline = time.nanoTime() + this.parts.settings().verifyTimeout().toNanos();
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
				this.parts.threads().pause(VERIFY_PAUSE_NANOS);
			}
		}
		catch (TimeoutException ex) {
			throwIfEnded();
			throw new LockServiceUnavailableException(
					"Lock %s could not be verified: the store did not answer within %s".formatted(id(),
							this.parts.settings().verifyTimeout()),
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
			return this.parts.connection().isHeld(this.contender).toCompletableFuture();
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
		if (this.released.get() || this.keeping != null) {
			throw new IllegalStateException("Lock %s was released already".formatted(id()));
		}
	}

	@Override
	public CompletableFuture<Boolean> keep(Duration rest) {
		if (!isOpen() || !this.parts.connection().outlivesInstance()) {
			return CompletableFuture.completedFuture(false);
		}
		LeaseKeeping keeping = new LeaseKeeping(this, rest, this.parts, this.renewal);
		this.keeping = keeping;
		return keeping.begin();
	}

	@Override
	public CompletableFuture<LockState> release() {
		boolean lostBefore = isLost();
		if (!this.released.compareAndSet(false, true)) {
			return CompletableFuture.completedFuture(state());
		}
		LeaseKeeping keeping = this.keeping;
		CompletableFuture<LockState> release = (keeping != null && !lostBefore) ? keeping.end()
				: this.renewal.release(this);
		return lostBefore ? CompletableFuture.completedFuture(LockState.LOST) : release;
	}

	@Override
	public String toString() {
		return this.contender + " with token " + this.token;
	}

}
