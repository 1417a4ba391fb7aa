package io.interlock.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.interlock.LockGrant;
import io.interlock.LockMode;

/**
 * The life of one grant of the provider, from holder to holder. Guarded by the lock of
 * its queue, except for what is final. Invariant: its holders are one exclusive, one with
 * a permit, any number of shared ones, or none while it is idle; one check of its expiry
 * is due at the most.
 */
final class Tenure {

	private final LockGrant grant;

	private final long grantedAt = System.nanoTime();

	private final List<TenureShare> holders = new ArrayList<>(1);

	private int handoffs = -1;

	private boolean watched;

	private boolean contended;

	private boolean expiryDue;

	private boolean kept;

	private long idleSince;

	Tenure(LockGrant grant) {
		this.grant = grant;
	}

	LockGrant grant() {
		return this.grant;
	}

	boolean isExclusive() {
		return this.grant.mode() == LockMode.EXCLUSIVE;
	}

	/** Return whether this is one of several permits of a semaphore. */
	boolean isPermit() {
		return this.grant.mode() == LockMode.PERMIT;
	}

	/**
	 * Return whether this grant can serve a waiter.
	 * @param mode what the waiter asks for
	 * @param beside whether others hold it already, which share it
	 */
	boolean admits(LockMode mode, boolean beside) {
		if (!isExclusive() && this.grant.mode() != mode) {
			return false;
		}
		return !beside || (mode == LockMode.SHARED && isShared());
	}

	/**
	 * Return whether this tenure excludes a request. A reader that may not join a shared
	 * tenure any more may still obtain a grant of its own.
	 */
	boolean isInTheWayOf(LockMode mode) {
		return this.grant.isValid() && mode.excludes(this.grant.mode());
	}

	/** Return whether other callers may join this tenure. */
	boolean isGood(QueueSettings settings) {
		return !this.kept && (isAlone() || age() < settings.maxTenure().toNanos()) && this.grant.isValid();
	}

	boolean mayBeHandedOver(QueueSettings settings) {
		return (isAlone() || this.handoffs < settings.maxHandoffs()) && isGood(settings);
	}

	private long age() {
		return System.nanoTime() - this.grantedAt;
	}

	/** Return whether the present holders are readers, possibly on an exclusive node. */
	boolean isShared() {
		return !this.holders.isEmpty() && this.holders.get(0).mode() == LockMode.SHARED;
	}

	/**
	 * Return the number of hand-offs before the next holder. A reader that joins present
	 * holders does not count.
	 */
	int nextHandoff() {
		return this.holders.isEmpty() ? this.handoffs + 1 : this.handoffs;
	}

	/**
	 * Let a holder join.
	 * @return {@code true}
	 */
	boolean add(TenureShare holder) {
		this.handoffs = nextHandoff();
		return this.holders.add(holder);
	}

	/**
	 * Let a holder leave.
	 * @return whether it was the last one
	 */
	boolean leave(TenureShare holder) {
		this.holders.remove(holder);
		return this.holders.isEmpty();
	}

	/** Return whether the tenure is idle: open, and without a holder. */
	boolean isIdle() {
		return this.holders.isEmpty();
	}

	/**
	 * Make the tenure idle.
	 * @return whether this is the first time, so that the caller has to watch for
	 * contention
	 */
	boolean idle() {
		boolean first = !this.watched;
		this.watched = true;
		this.idleSince = System.nanoTime();
		return first;
	}

	/**
	 * Let nothing join the grant and do not hand it over, because it is kept for the rest
	 * of its time. The waiters of this JVM contend when that is over.
	 * @return {@code false} if there are other holders
	 */
	boolean keep(TenureShare holder) {
		this.kept = this.holders.equals(List.of(holder));
		return this.kept;
	}

	/** Note that another contender is queued behind the grant. */
	void contend() {
		this.contended = true;
	}

	/** Return whether the next holder may come later. */
	boolean mayBeIdle() {
		return !this.contended && !this.kept && !isPermit() && this.grant.isValid();
	}

	/**
	 * Return whether it is known that no other contender is queued behind the grant, so
	 * that its age has no limit.
	 */
	boolean isAlone() {
		return this.watched && !this.contended;
	}

	/** Return the time for which the tenure may still be idle. */
	long nanosToExpiry(Duration linger) {
		return linger.toNanos() - (System.nanoTime() - this.idleSince);
	}

	/**
	 * Note that a check of its expiry will come.
	 * @return whether the caller has to schedule it
	 */
	boolean expectExpiry() {
		boolean news = !this.expiryDue;
		this.expiryDue = true;
		return news;
	}

	void expiryChecked() {
		this.expiryDue = false;
	}

	List<TenureShare> holders() {
		return List.copyOf(this.holders);
	}

	/**
	 * Return how often the grant was handed over.
	 * @return 0 for the first holders
	 */
	int handoffs() {
		return this.handoffs;
	}

	QueueSnapshot snapshot(int waiting) {
		return new QueueSnapshot(this.grant.id(), waiting, this.holders.size(), this.grant.fencingToken(),
				this.handoffs, Duration.ofNanos(age()));
	}

}
