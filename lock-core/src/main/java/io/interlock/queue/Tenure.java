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

	private boolean kept;

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

	boolean isExclusive() {
		return mode() == LockMode.EXCLUSIVE;
	}

	boolean isPermit() {
		return mode() == LockMode.PERMIT;
	}

	/** Return whether this grant serves a waiter. Beside holders, it is shared. */
	boolean admits(LockMode mode, boolean beside) {
		if (!isExclusive() && mode() != mode) {
			return false;
		}
		return !beside || (mode == LockMode.SHARED && isShared());
	}

	/** A reader that may not join a shared tenure may still obtain a grant of its own. */
	boolean isInTheWayOf(LockMode mode) {
		return isValid() && mode.excludes(mode());
	}

	boolean isGood(QueueSettings settings) {
		return !this.kept && (isAlone() || age() < settings.maxTenure().toNanos()) && isValid();
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

	/** A reader that joins present holders does not count. */
	int nextHandoff() {
		return this.holders.isEmpty() ? this.handoffs + 1 : this.handoffs;
	}

	/** Return whether the first waiter, with readers behind a reader, got the tenure. */
	boolean serve(Waiters waiters, boolean contended, List<Runnable> effects) {
		boolean served = false;
		for (QueuedAttempt next = waiters.first(); next != null
				&& admits(next.mode(), served); next = waiters.first()) {
			waiters.removeFirst();
			served |= grant(next, contended, effects);
		}
		return served;
	}

	boolean grant(QueuedAttempt waiter, boolean contended, List<Runnable> effects) {
		TenureGrant holder = new TenureGrant(waiter.queue(), this, waiter.request(), contended);
		return waiter.answer(Optional.of(holder), effects) && add(holder);
	}

	boolean add(TenureGrant holder) {
		this.handoffs = nextHandoff();
		return this.holders.add(holder);
	}

	boolean leave(TenureGrant holder) {
		this.holders.remove(holder);
		return this.holders.isEmpty();
	}

	boolean isIdle() {
		return this.holders.isEmpty();
	}

	boolean idle() {
		boolean first = !this.watched;
		this.watched = true;
		this.idleSince = System.nanoTime();
		return first;
	}

	/**
	 * Refuse joins and hand-offs, because the grant is kept, unless others hold it. The
	 * waiters of this JVM contend when its time is over.
	 */
	boolean keep(TenureGrant holder) {
		this.kept = this.holders.equals(List.of(holder));
		return this.kept;
	}

	void contend() {
		this.contended = true;
	}

	boolean mayBeIdle() {
		return !this.contended && !this.kept && !isPermit() && isValid();
	}

	/** Return whether no other contender is behind the grant: its age is unlimited. */
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
