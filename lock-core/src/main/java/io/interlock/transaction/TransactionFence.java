package io.interlock.transaction;

import java.util.function.BooleanSupplier;

import javax.sql.DataSource;

import io.interlock.LockNotAcquiredException;
import io.interlock.fencing.StaleLockException;
import io.interlock.internal.LockThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.Assert;

/**
 * Keeps a transaction from running behind one of a later holder of the same lock. With
 * it, the committed transactions under an exclusive lock are in the order of its holders,
 * and each of them sees what those before it have written, however long a process stands
 * still between its last look at the lock and its commit.
 * <p>
 * The first statement of a transaction sets a row of the table {@code interlock_fence}
 * for each exclusive lock of its thread to the token of its holder, and waits for an
 * earlier transaction that has done so and is still open. A lock that is acquired inside
 * of a transaction, and kept by it, is fenced there. A transaction within another one on
 * the same database is behind the fence of that one. Shared holds and permits have no
 * order, and are not fenced; neither are transactions that are read-only, or have a
 * read-only connection.
 * <p>
 * One is added to each transaction manager that has a data source: <pre class=
 * "code">manager.addListener(new TransactionFence(manager, dataSource, ...))</pre> Safe
 * for use by many threads.
 *
 * @since 0.1.0
 */
public final class TransactionFence implements TransactionExecutionListener {

	private static final Log logger = LogFactory.getLog(TransactionFence.class);

	private final AbstractPlatformTransactionManager manager;

	private final DataSource dataSource;

	private final FenceSettings settings;

	private final FenceTable table;

	private final FenceCleaning cleaning;

	private final FencePreparation preparation = new FencePreparation();

	/**
	 * Create a fence.
	 * @param manager begins the transactions
	 * @param dataSource the one of its connections, whose database has the table
	 * @param settings what is fenced, and how
	 */
	public TransactionFence(AbstractPlatformTransactionManager manager, DataSource dataSource, FenceSettings settings) {
		Assert.notNull(manager, "'manager' must not be null");
		Assert.notNull(dataSource, "'dataSource' must not be null");
		Assert.notNull(settings, "'settings' must not be null");
		Assert.isTrue(
				manager.getTransactionSynchronization() != AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER,
				"A transaction manager without synchronizations cannot be fenced. "
						+ "Set its transactionSynchronization to another value than SYNCHRONIZATION_NEVER");
		this.manager = manager;
		this.dataSource = dataSource;
		this.settings = settings;
		this.table = new FenceTable(dataSource);
		this.cleaning = new FenceCleaning(this.table, LockThreads.WORKER.pools("fence").perTask());
	}

	/**
	 * Create the table if it is not there.
	 * @throws org.springframework.dao.DataAccessException if the database refuses
	 */
	public void createTable() {
		this.table.create();
	}

	/**
	 * Make sure that the database has the table, and that it may be used.
	 * @return whether it was looked at: not on a read-only connection, whose transactions
	 * are not fenced. A data source may lead to others too, so check again later
	 * @throws IllegalStateException if it may not be used, with what to do
	 * @throws org.springframework.dao.DataAccessException if that is not known, because
	 * the database does not answer
	 */
	public boolean check() {
		return this.table.check();
	}

	/**
	 * Delete rows that no transaction has used for 30 days, in the background: now, and
	 * at most once a day while there are transactions. A holder that has slept since then
	 * is not refused.
	 */
	public void cleanDaily() {
		this.cleaning.begin(System.currentTimeMillis());
	}

	/**
	 * Run a preparation, such as the creation and the check of the table, before the
	 * first transaction that may write. For what could not be done at the start of the
	 * application. What it throws ends that transaction, and the next one runs it again;
	 * a {@link DataAccessException}, because the database does not answer, ends none.
	 * @param preparation run by one thread at a time, without a connection of the
	 * transaction; returns whether the next transaction need not run it again
	 */
	public void prepareOnFirstUse(BooleanSupplier preparation) {
		Assert.notNull(preparation, "'preparation' must not be null");
		this.preparation.set(preparation);
	}

	@Override
	public void beforeBegin(TransactionExecution transaction) {
		if (!transaction.isReadOnly()) {
			try {
				this.preparation.run();
			}
			catch (DataAccessException ex) {
				logger.debug("The table of the fence was not checked", ex);
			}
		}
	}

	/**
	 * Fence a transaction before its first statement. One that is refused is rolled back
	 * here, because Spring does not end a transaction whose begin fails behind that of
	 * the database.
	 * @throws StaleLockException if a later holder of a lock of this thread has passed
	 * @throws LockNotAcquiredException if the transaction of an earlier holder stays open
	 */
	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
		if (beginFailure != null || transaction.isReadOnly()
				|| !TransactionSynchronizationManager.isSynchronizationActive()
				|| !(transaction instanceof DefaultTransactionStatus status)) {
			return;
		}
		FencedTransaction fenced = new FencedTransaction(this.manager, status, this.dataSource, this.table,
				this.settings);
		try {
			fenced.begin();
		}
		catch (RuntimeException | Error ex) {
			rollback(status, ex);
			throw ex;
		}
		this.cleaning.cleanIfDue(System.currentTimeMillis());
	}

	/**
	 * Make sure that a transaction still has the rows of the locks that were acquired
	 * inside of it, behind all that runs before its commit.
	 * @throws IllegalStateException if it has not; the transaction is rolled back
	 */
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		FencedTransaction.beforeCommit(transaction);
	}

	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
		if (transaction.isNested()) {
			FencedTransaction.savepointWasRolledBack();
		}
	}

	/** Without what it has suspended, which Spring resumes when it sees the failure. */
	private void rollback(DefaultTransactionStatus status, Throwable failure) {
		try {
			this.manager.rollback(new DefaultTransactionStatus(status.getTransactionName(), status.getTransaction(),
					status.isNewTransaction(), status.isNewSynchronization(), status.isNested(), status.isReadOnly(),
					status.isDebug(), null));
		}
		catch (RuntimeException | Error ex) {
			failure.addSuppressed(ex);
		}
	}

}
