package io.interlock.zookeeper.internal.engine;

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

	/**
	 * {@return the node that it holds the lock with}
	 */
	abstract @Nullable SimulatedNode held();

	@Override
	public String toString() {
		return "c" + this.number;
	}

}
