package io.interlock.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockLostException;
import io.interlock.LockMode;
import io.interlock.LossActions;

/**
 * What one holder has of a tenure: its own end and its own news of a loss, and the token
 * and the validity of the grant. Invariant: it leaves its tenure once, and is told of a
 * loss once, if the grant was lost before it left or its own leaving finds out.
 */
final class TenureHandle implements LockHandle {

	/**
	 * How long a closing thread waits for its own actions, which may wait for it.
	 */
	private static final long ACTIONS_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final LockQueue queue;

	private final Tenure tenure;

	private final LockMode mode;

	private final boolean contended;

	private final int handoff;

	private final Instant acquiredAt = Instant.now();

	private final AtomicBoolean closed = new AtomicBoolean();

	private final LossActions lossActions = new LossActions();

	TenureHandle(LockQueue queue, Tenure tenure, LockMode mode, boolean contended) {
		this.queue = queue;
		this.tenure = tenure;
		this.mode = mode;
		this.contended = contended;
		this.handoff = tenure.handoffs();
	}

	Tenure tenure() {
		return this.tenure;
	}

	void lose() {
		if (this.lossActions.lose()) {
			this.lossActions.run();
		}
	}

	@Override
	public LockId id() {
		return this.tenure.grant().id();
	}

	@Override
	public LockMode mode() {
		return this.mode;
	}

	@Override
	public boolean contended() {
		return this.contended;
	}

	@Override
	public Instant acquiredAt() {
		return this.acquiredAt;
	}

	@Override
	public long fencingToken() {
		return this.tenure.grant().fencingToken();
	}

	@Override
	public int handoff() {
		return this.handoff;
	}

	@Override
	public boolean isValid() {
		return !this.closed.get() && !this.lossActions.isLost() && this.tenure.grant().isValid();
	}

	@Override
	public boolean isLost() {
		return this.lossActions.isLost() || (!this.closed.get() && this.tenure.grant().isLost());
	}

	@Override
	public void verify() {
		if (this.lossActions.isLost()) {
			throw new LockLostException("Lock %s is lost".formatted(id()), id(), Duration.ZERO, null);
		}
		throwIfClosed();
		this.tenure.grant().verify();
	}

	private void throwIfClosed() {
		if (this.closed.get()) {
			throw new IllegalStateException("Lock %s was released already".formatted(id()));
		}
	}

	@Override
	public void onLoss(Runnable action) {
		this.lossActions.add(action);
	}

	@Override
	public void close() {
		if (leave()) {
			this.tenure.grant().close();
		}
		if (this.lossActions.isLost()) {
			// Who closes is about to ask whether the lock was lost: the actions know.
			this.lossActions.awaitRun(ACTIONS_NANOS);
		}
	}

	@Override
	public void closeAsync() {
		if (leave()) {
			this.tenure.grant().closeAsync();
		}
	}

	/**
	 * Leave the tenure.
	 * @return whether it is over, so that the caller has to end the grant
	 */
	private boolean leave() {
		if (!this.closed.compareAndSet(false, true)) {
			return false;
		}
		if (this.tenure.grant().isLost()) {
			// The news is under way, and would come too late.
			lose();
		}
		return this.queue.leave(this);
	}

	/**
	 * @throws IllegalStateException if this handle is closed: the grant beneath it may
	 * serve somebody else now
	 */
	@Override
	public <T> Optional<T> unwrap(Class<T> type) {
		throwIfClosed();
		return type.isInstance(this) ? Optional.of(type.cast(this)) : this.tenure.grant().unwrap(type);
	}

	@Override
	public String toString() {
		return this.mode + " " + id() + " through " + this.tenure.grant();
	}

}
