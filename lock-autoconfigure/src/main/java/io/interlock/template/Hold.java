package io.interlock.template;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockHandle;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LossPolicy;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * One grant of the provider, shared by the handles of an outermost acquisition and of
 * those that joined it. Invariant: the grant ends exactly once, when the last of its
 * handles is closed, and nobody joins after that.
 */
final class Hold {

	private static final Log logger = LogFactory.getLog(Hold.class);

	private final LockRequest request;

	private final LockHandle grant;

	private final Thread thread = Thread.currentThread();

	private final long grantedAt = System.nanoTime();

	private final HeldLocks heldLocks;

	private final LockListeners listeners;

	private final AtomicInteger handles = new AtomicInteger(1);

	private final List<LossInterrupter> interrupters = new CopyOnWriteArrayList<>();

	private final Revocation revocation;

	private volatile boolean lost;

	private volatile @Nullable Future<?> overdueCheck;

	Hold(LockRequest request, LockHandle grant, HeldLocks heldLocks, LockListeners listeners) {
		this.request = request;
		this.grant = grant;
		this.heldLocks = heldLocks;
		this.listeners = listeners;
		this.revocation = new Revocation(grant, this.thread, listeners);
	}

	void begin(Duration waited) {
		this.heldLocks.add(this);
		this.listeners.onAcquired(this.request, this.grant, waited);
		this.grant.onLoss(this::lost);
		Duration maxHold = this.request.maxHold();
		if (maxHold != null) {
			this.overdueCheck = OverdueTimer.schedule(this::overdue, maxHold);
		}
	}

	/**
	 * Take part in this hold.
	 * @return {@code false} if it has ended
	 */
	boolean join() {
		return this.handles.getAndUpdate((count) -> (count > 0) ? count + 1 : 0) > 0;
	}

	void leave(boolean wait) {
		if (this.handles.decrementAndGet() == 0) {
			end(wait);
		}
	}

	private void end(boolean wait) {
		Future<?> check = this.overdueCheck;
		if (check != null) {
			check.cancel(false);
		}
		this.heldLocks.remove(this);
		if (!this.grant.isValid() && !isLost()) {
			unconfirmed();
		}
		release(wait);
		this.listeners.onReleased(this.grant, held());
	}

	private void unconfirmed() {
		logger.warn("Lock %s is released while the connection is suspended: whether it was held to the end is not known"
			.formatted(this.grant.id()));
		this.listeners.onUnconfirmed(this.grant);
	}

	private void release(boolean wait) {
		try {
			if (wait) {
				this.grant.close();
			}
			else {
				this.grant.closeAsync();
			}
		}
		catch (RuntimeException ex) {
			logger.warn("Releasing lock %s failed; what the body returned or threw is not affected"
				.formatted(this.grant.id()), ex);
		}
	}

	/**
	 * Interrupt a body when this hold is lost, before anybody else is told.
	 * @param interrupter who interrupts
	 */
	void interruptOnLoss(LossInterrupter interrupter) {
		this.interrupters.add(interrupter);
		if (this.lost) {
			interrupter.interrupt();
		}
	}

	void forget(LossInterrupter interrupter) {
		this.interrupters.remove(interrupter);
	}

	private void lost() {
		this.lost = true;
		this.interrupters.forEach(LossInterrupter::interrupt);
		logger.error(("Lost lock %s, which thread '%s' has held since %s with token %d: others may hold it now, and "
				+ "what was done under it since then is in doubt. Writes that carry the token can still be refused")
			.formatted(this.grant.id(), this.thread.getName(), this.grant.acquiredAt(), this.grant.fencingToken()));
		this.listeners.onLost(this.grant);
	}

	private void overdue() {
		if (this.handles.get() == 0) {
			return;
		}
		if (this.request.onLoss() == LossPolicy.INTERRUPT) {
			this.interrupters.forEach(LossInterrupter::interrupt);
		}
		StringBuilder stack = new StringBuilder();
		for (StackTraceElement element : this.thread.getStackTrace()) {
			stack.append("\n\tat ").append(element);
		}
		logger
			.warn("Lock %s is held by thread '%s' since %s, longer than the %s it asked for; it stays held. It is at%s"
				.formatted(this.grant.id(), this.thread.getName(), this.grant.acquiredAt(), this.request.maxHold(),
						stack));
		this.listeners.onOverdue(this.grant, held());
	}

	Revocation revocation() {
		return this.revocation;
	}

	private Duration held() {
		return Duration.ofNanos(System.nanoTime() - this.grantedAt);
	}

	LockRequest request() {
		return this.request;
	}

	LockHandle grant() {
		return this.grant;
	}

	HeldLocks heldLocks() {
		return this.heldLocks;
	}

	/**
	 * Return whether this hold is lost, also if the news is still on its way.
	 * @return whether it is lost
	 */
	boolean isLost() {
		return this.lost || this.grant.isLost();
	}

	void throwIfLost() {
		if (isLost()) {
			throw Failures.lost(this.grant.id(), this.grant.acquiredAt(), this.grant.fencingToken());
		}
	}

	boolean isInTheWayOf(LockRequest other) {
		return this.grant.id().equals(other.id()) && (isExclusive() || other.mode() == LockMode.EXCLUSIVE);
	}

	boolean isExclusive() {
		return this.grant.mode() == LockMode.EXCLUSIVE;
	}

	Thread thread() {
		return this.thread;
	}

	LockSnapshot snapshot() {
		return snapshot(List.of());
	}

	LockSnapshot snapshotWithStack() {
		return snapshot(List.of(this.thread.getStackTrace()));
	}

	private LockSnapshot snapshot(List<StackTraceElement> stack) {
		return new LockSnapshot(this.grant.id(), this.grant.mode(), this.grant.fencingToken(), this.grant.isValid(),
				this.grant.handoff(), this.thread.getName(), this.grant.acquiredAt(), stack);
	}

}
