package io.interlock.zookeeper.internal.engine;

import io.interlock.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * Contends for the lock once, on behalf of a caller that holds it until it is told to
 * release it.
 */
abstract class SimulatedContender {

	final int number;

	final int client;

	boolean started;

	SimulatedContender(int number, int client) {
		this.number = number;
		this.client = client;
	}

	abstract void start();

	/**
	 * {@return whether it holds the lock, as far as it knows}
	 */
	abstract boolean isHolding();

	/**
	 * {@return whether it has neither a hold nor a wait}
	 */
	abstract boolean isOver();

	/**
	 * {@return whether it may act on the lock now: what it holds has neither been given
	 * up nor told to be lost}
	 */
	abstract boolean claims();

	abstract void release();

	/** Return whether its attempt is not decided. */
	boolean isWaiting() {
		return false;
	}

	/** Return whether its attempt waits for another contender, or is decided. */
	boolean isAtRest() {
		return true;
	}

	void cancel() {
		throw new UnsupportedOperationException("It does not give up");
	}

	/** Return whether it has given up, and has not told its attempt yet. */
	boolean isToBeStopped() {
		return false;
	}

	/** Note what the clock of its instance says now. */
	void timePassed() {
		// By default, nothing depends on it.
	}

	/** Return whether the holder was told all that it should know. */
	boolean isTold() {
		return true;
	}

	/** Return another attempt of the same caller, or {@code null} if it has but one. */
	@Nullable SimulatedContender again(int number) {
		return null;
	}

	/**
	 * {@return how it shares the lock, or {@code null} if its node says so}
	 */
	@Nullable LockMode mode() {
		return null;
	}

	/**
	 * {@return the node that it holds the lock with}
	 */
	abstract @Nullable SimulatedNode held();

	@Override
	public String toString() {
		return "c" + this.number;
	}

}
