package io.interlock.zookeeper;

import java.time.Duration;

import io.interlock.LockException;
import io.interlock.LockHandle;

/**
 * A transaction may have been committed: it was sent once, and its answer did not arrive.
 * Read the data before you send it again.
 *
 * @since 0.1.0
 */
public class TransactionInDoubtException extends LockException {

	TransactionInDoubtException(LockHandle lock, Throwable cause) {
		super(("The transaction under lock %s may have been committed: no answer to it arrived. "
				+ "Read the data before you send it again")
			.formatted(lock.id()), lock.id(), Duration.ZERO, cause);
	}

}
