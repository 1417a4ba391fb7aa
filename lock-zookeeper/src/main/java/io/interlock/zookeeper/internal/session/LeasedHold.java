package io.interlock.zookeeper.internal.session;

/**
 * What the {@link LeaseKeeper} keeps: a hold that ends with the lease of its session.
 *
 * @since 0.1.0
 */
public interface LeasedHold {

	/**
	 * {@return the lease of the session that the hold belongs to}
	 */
	SessionLease lease();

	/**
	 * {@return whether the hold is lost for good}
	 */
	boolean isLost();

	/** Give the hold up for good, unless it was released. */
	void lose();

	/** Tell the holder of a state that it does not know yet, on another thread. */
	void tellState();

	/**
	 * Look after the hold, as the timer does. Must not block.
	 * @param now time of this call
	 */
	void tick(long now);

	/** End the hold, because its instance stops. Does not wait for the servers. */
	void end();

}
