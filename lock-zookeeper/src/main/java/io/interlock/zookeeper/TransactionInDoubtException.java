package io.interlock.zookeeper;

import java.time.Duration;

import io.interlock.LockException;
import io.interlock.LockHandle;

/**
 * A transaction may have been committed: it was sent once, and its answer did not arrive.
 * Read what it was to write before it is sent again.
 *
 * @since 0.1.0
 */
public class TransactionInDoubtException extends LockException {

	TransactionInDoubtException(LockHandle lock, Throwable cause) {
		super(("The transaction under lock %s may have been committed: no answer to it arrived. "
				+ "Read what it was to write before it is sent again")
			.formatted(lock.id()), lock.id(), Duration.ZERO, cause);
	}

}
