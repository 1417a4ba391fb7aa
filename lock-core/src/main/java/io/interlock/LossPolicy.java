package io.interlock;

/**
 * What happens to the holder of a lock that is lost while it is held, for example because
 * the ZooKeeper session expired.
 *
 * @since 0.1.0
 */
public enum LossPolicy {

	/**
	 * The body runs to its end, then {@link LockLostException} is thrown in place of its
	 * result. An exception of the body wins, with the loss suppressed under it. If the
	 * servers have been silent for so long that the lock may be lost, they are asked
	 * first, within the verify timeout; without an answer the lock counts as lost.
	 */
	FAIL,

	/**
	 * As {@link #FAIL}, and the thread that runs the body is interrupted as soon as the
	 * loss is known. The interrupt never reaches the thread after it has left the body: a
	 * flag that is still set then is cleared. An interrupt from elsewhere that comes
	 * after ours cannot be told from it, and is cleared too.
	 */
	INTERRUPT,

	/**
	 * The caller is not disturbed: only the handle, its {@link LockHandle#onLoss
	 * actions}, and the {@link LockListener listeners} tell of the loss. No server is
	 * asked.
	 */
	SIGNAL

}
