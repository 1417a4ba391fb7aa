package io.interlock.sample.show.fault;

import io.interlock.LockRequest;
import io.interlock.LossPolicy;

/**
 * What refuses a late write. The name of the lock decides it, and nothing else.
 */
enum Fence {

	/** Nothing. */
	NONE("unfenced-seats", "takes the write: nothing compares token %d with %d"),

	/** The row, which has the token of this lock. */
	ROW("seats", "refuses the write: token %d is below %d"),

	/** The transaction, as {@code interlock.locks.fenced-seats.fence} says. */
	TRANSACTION("fenced-seats", "refuses the transaction before it reads: token %d is below %d");

	private final String lock;

	private final String answer;

	Fence(String lock, String answer) {
		this.lock = lock;
		this.answer = answer;
	}

	/** A lock whose holder does not look whether it is lost. */
	LockRequest lock(long event) {
		return LockRequest.exclusive(this.lock).withKey(event).withOnLoss(LossPolicy.SIGNAL);
	}

	String answer(long late, long newest) {
		return this.answer.formatted(late, newest);
	}

}
