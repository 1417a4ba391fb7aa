package io.interlock;

/**
 * What a holder experiences if its lock is lost, for example because the ZooKeeper
 * session expired.
 *
 * @since 0.1.0
 */
public enum LossPolicy {

	/**
	 * The body runs to its end, then {@link LockLostException} replaces its result. An
	 * exception of the body takes precedence and has the loss as a suppressed exception.
	 * If the servers have been silent for so long that the lock may be lost, the template
	 * first asks them, within the verify timeout. Without an answer, the lock counts as
	 * lost.
	 */
	FAIL,

	/**
	 * As {@link #FAIL}, and the loss interrupts the thread that runs the body. The
	 * interrupt never outlives the body: a flag that is still set at its end is cleared,
	 * even if it comes from another interrupt.
	 */
	INTERRUPT,

	/**
	 * Only the handle, its {@link LockHandle#onLoss actions} and the {@link LockListener
	 * listeners} report the loss. No server is asked.
	 */
	SIGNAL

}
