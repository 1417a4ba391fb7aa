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
	 * exception of the body wins, with the loss suppressed under it. If the servers have
	 * been silent for so long that the lock may be lost, the template asks them first,
	 * within the verify timeout; without an answer the lock counts as lost.
	 */
	FAIL,

	/**
	 * As {@link #FAIL}, and the loss interrupts the thread that runs the body. The
	 * interrupt never outlives the body: a flag that is still set then is cleared, even
	 * if another interrupt came after ours.
	 */
	INTERRUPT,

	/**
	 * Only the handle, its {@link LockHandle#onLoss actions} and the {@link LockListener
	 * listeners} report the loss. No server is asked.
	 */
	SIGNAL

}
