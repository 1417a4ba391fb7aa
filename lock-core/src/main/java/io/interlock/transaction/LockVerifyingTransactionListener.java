package io.interlock.transaction;

import java.time.Duration;

import io.interlock.LockHandle;
import io.interlock.LockLostException;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LossPolicy;
import io.interlock.template.LockContext;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.util.Assert;

/**
 * Rolls a transaction back instead of committing it if its thread has lost one of its
 * locks, even a shared one: a read under a lost lock may be stale. The order of lock and
 * transaction does not matter.
 * <p>
 * Verifies before the real commit of a transaction that may have written: not at the end
 * of a savepoint or of a participating or read-only transaction. Locks with
 * {@link LossPolicy#SIGNAL} are not verified, and neither are reactive transactions,
 * which have no thread.
 * <p>
 * A veto narrows the window for a late commit to the time of the commit itself; only a
 * {@link LockHandle#fencingToken() fencing token} closes it. Immutable and safe for use
 * by many threads.
 *
 * @since 0.1.0
 */
public final class LockVerifyingTransactionListener implements TransactionExecutionListener {

	private final CommitVerification verification;

	/** Create a listener. */
	public LockVerifyingTransactionListener(CommitVerification verification) {
		Assert.notNull(verification, "'verification' must not be null");
		this.verification = verification;
	}

	/**
	 * Verify the locks of this thread.
	 * @param transaction the transaction that is about to commit
	 * @throws LockLostException if one of them is lost; the transaction is rolled back
	 * @throws LockServiceUnavailableException if it is not known whether one of them is
	 * held, and the servers do not answer within the verify timeout; also rolls back
	 * @throws io.interlock.LockInterruptedException if the thread is interrupted
	 * meanwhile; also rolls back
	 */
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		if (this.verification != CommitVerification.NONE && commitsWrites(transaction)) {
			for (LockHandle lock : LockContext.held((request) -> request.onLoss() != LossPolicy.SIGNAL)) {
				if (this.verification == CommitVerification.QUORUM || !lock.isValid()) {
					verify(lock, transaction);
				}
			}
		}
	}

	private static boolean commitsWrites(TransactionExecution transaction) {
		return transaction.isNewTransaction() && !transaction.isNested() && !transaction.isReadOnly()
				&& !transaction.isRollbackOnly();
	}

	private static void verify(LockHandle lock, TransactionExecution transaction) {
		try {
			lock.verify();
		}
		catch (LockLostException ex) {
			throw new LockLostException(
					"%s was rolled back instead of committed: lock %s, held since %s with token %d, was lost, and others may hold it now"
						.formatted(describe(transaction), lock.id(), lock.acquiredAt(), lock.fencingToken()),
					lock.id(), Duration.ZERO, ex);
		}
		catch (LockServiceUnavailableException ex) {
			throw new LockServiceUnavailableException(
					"%s was rolled back instead of committed: it is not known whether lock %s, held since %s with token %d, is still held. %s"
						.formatted(describe(transaction), lock.id(), lock.acquiredAt(), lock.fencingToken(),
								ex.getMessage()),
					lock.id(), Duration.ZERO, ex);
		}
	}

	private static String describe(TransactionExecution transaction) {
		String name = transaction.getTransactionName();
		return name.isEmpty() ? "The transaction" : "Transaction '%s'".formatted(name);
	}

}
