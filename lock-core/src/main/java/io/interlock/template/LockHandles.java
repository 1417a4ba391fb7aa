package io.interlock.template;

import java.util.List;

import io.interlock.LockHandle;
import io.interlock.LockId;

/**
 * Several locks that are held together. The holds end with {@link #close()}, so use
 * try-with-resources. Safe for use by many threads, like each {@link LockHandle} of them.
 *
 * @since 0.1.0
 */
public interface LockHandles extends AutoCloseable {

	/**
	 * {@return the holds in the order in which they were acquired, which is that of all
	 * instances: by name, then by key}
	 */
	List<LockHandle> handles();

	/**
	 * Return the hold on one of the locks.
	 * @throws IllegalArgumentException if that lock was not requested
	 */
	LockHandle handle(LockId id);

	/** Return whether every lock is held for certain, without any I/O. */
	boolean isValid();

	/**
	 * Ask a quorum of the servers about all locks, in one transaction if the store has
	 * transactions, so that all are held at the same instant.
	 * @throws io.interlock.LockLostException if one of them is lost
	 * @throws io.interlock.LockServiceUnavailableException if no answer came within the
	 * verify timeout
	 * @throws io.interlock.LockInterruptedException if the thread is interrupted; its
	 * flag is set
	 * @throws IllegalStateException if one of the handles is closed
	 * @see LockHandle#verify()
	 */
	void verify();

	/**
	 * End all holds, the last one first. May be called repeatedly and by any thread, like
	 * {@link LockHandle#close()}, and throws as little.
	 */
	@Override
	void close();

}
