package io.interlock.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.interlock.LockHandle;
import io.interlock.LockMode;

/**
 * The life of one grant of the provider, from holder to holder. Guarded by the lock of
 * its queue, save what is final. Invariant: its holders are one exclusive or any number
 * of shared ones; the last of them stays noted after it has left, for the end of the
 * grant may turn out to be a loss.
 */
final class Tenure {

	private final LockHandle grant;

	private final long grantedAt = System.nanoTime();

	private final List<TenureHandle> holders = new ArrayList<>(1);

	private int handoffs = -1;

	Tenure(LockHandle grant) {
		this.grant = grant;
	}

	LockHandle grant() {
		return this.grant;
	}

	/**
	 * Return whether somebody can be served by this grant.
	 * @param mode what he asks for
	 * @param besides whether others hold it already, who share it
	 * @return whether he can be let in
	 */
	boolean admits(LockMode mode, boolean besides) {
		if (besides && !isShared()) {
			return false;
		}
		return mode == LockMode.SHARED || (!besides && this.grant.mode() == LockMode.EXCLUSIVE);
	}

	/**
	 * Return whether it is known to keep others out. A reader that may not join a shared
	 * grant any more may still have one of his own.
	 */
	boolean isInTheWayOf(LockMode mode) {
		return this.grant.isValid() && (mode == LockMode.EXCLUSIVE || this.grant.mode() == LockMode.EXCLUSIVE);
	}

	boolean isYoungerThan(Duration age) {
		return System.nanoTime() - this.grantedAt < age.toNanos();
	}

	/**
	 * Return whether those who hold it now share it, be it on an exclusive node.
	 */
	boolean isShared() {
		return this.holders.get(0).mode() == LockMode.SHARED;
	}

	/**
	 * Begin anew with other holders.
	 */
	void begin() {
		this.holders.clear();
		this.handoffs++;
	}

	void add(TenureHandle holder) {
		this.holders.add(holder);
	}

	/**
	 * Let a holder go.
	 * @return whether it was the last one
	 */
	boolean leave(TenureHandle holder) {
		if (this.holders.size() == 1) {
			return true;
		}
		this.holders.remove(holder);
		return false;
	}

	List<TenureHandle> holders() {
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
				this.handoffs, Duration.ofNanos(System.nanoTime() - this.grantedAt));
	}

}
