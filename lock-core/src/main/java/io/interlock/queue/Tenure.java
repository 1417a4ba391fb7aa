package io.interlock.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.interlock.LockMode;
import io.interlock.LockState;
import io.interlock.provider.LockGrant;
import io.interlock.queue.QueuedAttempt.Waiters;

/**
 * The life of one grant of the provider, from holder to holder. Guarded by the lock of
 * its queue, except for what is final. Invariant: its holders are one exclusive, one with
 * a permit, any number of shared ones, or none while it is idle; one check of its expiry
 * is due at the most.
 */
final class Tenure {

	private final LockGrant grant;

	private final long grantedAt = System.nanoTime();

	private final List<TenureGrant> holders = new ArrayList<>(1);

	private int handoffs = -1;

	private boolean watched;

	private boolean contended;

	private boolean expiryDue;

	private boolean reserved;

	private long idleSince;

	Tenure(LockGrant grant) {
		this.grant = grant;
	}

	LockGrant grant() {
		return this.grant;
	}

	LockMode mode() {
		return this.grant.request().mode();
	}

	boolean isValid() {
		return this.grant.state() == LockState.VALID;
	}

	/**
	 * Return whether a caller may expect it from its holders, or has to wait for them.
	 */
	boolean mayServe() {
		return isValid() && !this.reserved;
	}

	/** Return whether a caller of this JVM holds the lock, as far as is known. */
	boolean isHeld() {
		return !this.reserved && this.grant.state() != LockState.LOST;
	}

	boolean isExclusive() {
		return mode() == LockMode.EXCLUSIVE;
	}

	boolean isPermit() {
		return mode() == LockMode.PERMIT;
	}

	/** Return whether this grant serves a waiter; beside holders only readers. */
	boolean admits(LockMode mode, boolean beside) {
		if (!isExclusive() && mode() != mode) {
			return false;
		}
		return !beside || (mode == LockMode.SHARED && isShared());
	}

	/** A reader that may not join a shared tenure may still obtain a grant of its own. */
	boolean isInTheWayOf(LockMode mode) {
		return mayServe() && mode.excludes(mode());
	}

	boolean isGood(QueueSettings settings) {
		return !this.reserved && (isAlone() || age() < settings.maxTenure().toNanos()) && isValid();
	}

	boolean mayBeHandedOver(QueueSettings settings) {
		return (isAlone() || this.handoffs < settings.maxHandoffs()) && isGood(settings);
	}

	private long age() {
		return System.nanoTime() - this.grantedAt;
	}

	/** Return whether the present holders are readers, even on an exclusive node. */
	boolean isShared() {
		return !this.holders.isEmpty() && this.holders.get(0).request().mode() == LockMode.SHARED;
	}

	/** A reader that joins present holders is no hand-off. */
	int nextHandoff() {
		return this.holders.isEmpty() ? this.handoffs + 1 : this.handoffs;
	}

	/**
	 * Grant the first waiter, and if it is a reader, the readers directly behind it.
	 * Return whether any waiter got the grant.
	 */
	boolean serve(Waiters waiters, boolean contended, List<Runnable> effects) {
		boolean served = false;
		QueuedAttempt next = waiters.first();
		while (next != null && admits(next.mode(), served)) {
			waiters.removeFirst();
			served |= grant(next, contended, effects);
			next = waiters.first();
		}
		return served;
	}

	boolean grant(QueuedAttempt waiter, boolean contended, List<Runnable> effects) {
		TenureGrant holder = new TenureGrant(waiter.queue(), this, waiter.request(), contended);
		boolean granted = waiter.answer(Optional.of(holder), effects);
		if (granted) {
			add(holder);
		}
		return granted;
	}

	void add(TenureGrant holder) {
		this.handoffs = nextHandoff();
		this.holders.add(holder);
	}

	/** Remove a holder, and return whether it was the last one. */
	boolean leave(TenureGrant holder) {
		this.holders.remove(holder);
		return this.holders.isEmpty();
	}

	boolean isIdle() {
		return this.holders.isEmpty();
	}

	boolean isWatched() {
		return this.watched;
	}

	void becomeIdle() {
		this.watched = true;
		this.idleSince = System.nanoTime();
	}

	/**
	 * Refuse joins and hand-offs from now on, because the lock is kept for a minimum
	 * time, and return {@code true}; or {@code false} if others hold it as well.
	 */
	boolean reserveFor(TenureGrant holder) {
		this.reserved = this.holders.equals(List.of(holder));
		return this.reserved;
	}

	/** Return whether it goes on without its holder, for no other one. */
	boolean isKept() {
		return this.reserved;
	}

	void contend() {
		this.contended = true;
	}

	boolean mayBeIdle() {
		return !this.contended && !this.reserved && !isPermit() && isValid();
	}

	/** While no other contender is known, the age of the grant is not limited. */
	boolean isAlone() {
		return this.watched && !this.contended;
	}

	long nanosToExpiry(Duration linger) {
		return linger.toNanos() - (System.nanoTime() - this.idleSince);
	}

	boolean expectExpiry() {
		boolean news = !this.expiryDue;
		this.expiryDue = true;
		return news;
	}

	void expiryChecked() {
		this.expiryDue = false;
	}

	List<TenureGrant> holders() {
		return List.copyOf(this.holders);
	}

	int handoffs() {
		return this.handoffs;
	}

	QueueSnapshot snapshot(int waiting) {
		return new QueueSnapshot(this.grant.request().id(), waiting, this.holders.size(), this.grant.fencingToken(),
				this.handoffs, Duration.ofNanos(age()));
	}

}
