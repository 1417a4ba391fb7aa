package io.interlock.transaction;

import java.time.Duration;

import io.interlock.LockHandle;
import io.interlock.LockNotAcquiredException;
import io.interlock.fencing.StaleLockException;
import io.interlock.template.LockContext;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;

/** What is told of a transaction that ends, or has to end, because of its fence. */
final class FenceFailures {

	private static final Log logger = LogFactory.getLog(FenceFailures.class);

	private static final String WAITS_FOR_ANOTHER = "a transaction of an earlier holder of lock %s, or of another one "
			+ "of its locks, is still open in the database";

	private static final String WAITS_FOR_ITSELF = "an outer transaction of this thread has fenced lock %s, or another "
			+ "one of its locks, through another DataSource of the same database. Use one DataSource for both";

	private final String name;

	private boolean begun;

	FenceFailures(String name) {
		this.name = name;
	}

	/** From now on the body of the transaction runs, and may have read. */
	void begin() {
		this.begun = true;
	}

	boolean isBegun() {
		return this.begun;
	}

	StaleLockException stale(LockHandle lock, FenceRefusal refusal) {
		LockContext.tellFencedTransaction(lock, false);
		StaleLockException stale = new StaleLockException(("%s: lock %s, held since %s with token %d, was lost, and a "
				+ "later holder has run a transaction with token %d. Acquire it again, and begin again. If there "
				+ "is no later holder, the store of the locks issues lower tokens than before: its clock was set "
				+ "back, or it was "
				+ "restored or replaced. Then run: DELETE FROM interlock_fence WHERE lock_id = '%s'")
			.formatted(rollback(), lock.id(), lock.acquiredAt(), lock.fencingToken(), refusal.token(), refusal.row()),
				lock.id(), lock.fencingToken());
		logger.warn(stale.getMessage());
		return stale;
	}

	LockNotAcquiredException tooLate(LockHandle lock, boolean itself, DataAccessException ex) {
		LockContext.tellFencedTransaction(lock, false);
		LockNotAcquiredException refusal = new LockNotAcquiredException(
				"%s: %s".formatted(rollback(), (itself ? WAITS_FOR_ITSELF : WAITS_FOR_ANOTHER).formatted(lock.id())),
				lock.id(), Duration.ZERO, null);
		refusal.addSuppressed(ex);
		logger.warn(refusal.getMessage());
		return refusal;
	}

	IllegalStateException takesTheConnection() {
		return new IllegalStateException(
				("%s would end the fenced transaction around it, because its manager takes over the connection "
						+ "of that transaction. Both are rolled back. Use one transaction manager for both")
					.formatted(transaction()));
	}

	IllegalStateException withoutFence(@Nullable LockHandle lock) {
		return new IllegalStateException(
				("%s was rolled back, because it continued without its fence for lock %s. It rolled back to "
						+ "a savepoint from before it acquired the lock, or another transaction ended it. "
						+ "Acquire the lock before the savepoint, or use Propagation.NESTED")
					.formatted(transaction(), (lock != null) ? lock.id() : "that it has released"));
	}

	IllegalStateException unknown(Error error) {
		return new IllegalStateException(rollback(), error);
	}

	private String rollback() {
		return transaction() + (this.begun ? " will be rolled back" : " was rolled back before it read anything");
	}

	private String transaction() {
		return this.name.isEmpty() ? "The transaction" : "Transaction '%s'".formatted(this.name);
	}

}
