package io.interlock.transaction;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

import javax.sql.DataSource;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.ReleasePolicy;
import io.interlock.internal.LockHash;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.template.LockContext;
import io.interlock.template.LockSynchronization;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.PriorityOrdered;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * An open transaction that has passed the rows of its locks. Used by its thread only.
 * <p>
 * Invariant: the body of the transaction does not run, or go on, before it has passed the
 * rows of all exclusive locks that its thread held when it began and that it has been
 * told to keep since. Rows that an outer transaction of its thread has passed in the same
 * database are locked by that one, and passed by none after it until both have ended.
 */
final class FencedTransaction implements LockSynchronization {

	private static final Log logger = LogFactory.getLog(FencedTransaction.class);

	/** The open ones of each thread, the outermost first. */
	private static final ThreadLocal<List<FencedTransaction>> OPEN = ThreadLocal.withInitial(ArrayList::new);

	private final PlatformTransactionManager manager;

	private final DefaultTransactionStatus status;

	private final DataSource dataSource;

	private final FenceTable table;

	private final FenceSettings settings;

	private final PassedRows rows = new PassedRows();

	/** A thread may keep thousands of locks, and looks at them more than once. */
	private final Map<LockId, String> rowNames = new HashMap<>();

	private final FenceFailures failures;

	/** Its connection, if that was known before anything else could have taken one. */
	private @Nullable Object holder;

	/** Why it ends in a rollback, although its body may go on. */
	private @Nullable RuntimeException refusal;

	FencedTransaction(PlatformTransactionManager manager, DefaultTransactionStatus status, DataSource dataSource,
			FenceTable table, FenceSettings settings) {
		this.manager = manager;
		this.status = status;
		this.dataSource = dataSource;
		this.table = table;
		this.settings = settings;
		this.failures = new FenceFailures(status.getTransactionName());
	}

	void begin() {
		Object holder = TransactionSynchronizationManager.getResource(this.dataSource);
		if (this.status.isNewTransaction() && holder != null) {
			OPEN.get().forEach((open) -> refuseConnectionOf(open, holder));
		}
		this.holder = holder;
		TransactionSynchronizationManager.registerSynchronization(this);
		TransactionSynchronizationManager.registerSynchronization(new End(this));
		OPEN.get().add(this);
		Map<String, LockHandle> held = held((request) -> true);
		pass(held);
		held.values().forEach(FencedTransaction::requireHeld);
		this.failures.begin();
	}

	/** A manager of JDBC takes the one of an outer transaction of JPA, and ends it. */
	private void refuseConnectionOf(FencedTransaction outer, Object holder) {
		if (outer.holder == holder && !outer.rows.passed().isEmpty()) {
			outer.rows.undoAll();
			throw this.failures.takesTheConnection();
		}
	}

	/** What is acquired in a callback behind the commit is not of this transaction. */
	@Override
	public void locksKept(Collection<? extends LockHandle> locks) {
		if (OPEN.get().contains(this)) {
			keep(locks);
		}
	}

	/** What is refused is rolled back, even if the caller makes nothing of it. */
	private void keep(Collection<? extends LockHandle> locks) {
		try {
			lockAcquiredAgain();
			Map<String, LockHandle> kept = fenced(locks);
			pass(kept);
			kept.values().forEach(FencedTransaction::requireHeld);
		}
		catch (RuntimeException | Error ex) {
			this.refusal = (ex instanceof RuntimeException refused) ? refused : this.failures.unknown((Error) ex);
			markForRollback();
			throw ex;
		}
	}

	/** As a participating transaction that fails, so that the commit tells its caller. */
	private void markForRollback() {
		TransactionStatus participating = this.manager
			.getTransaction(new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_MANDATORY));
		participating.setRollbackOnly();
		this.manager.rollback(participating);
	}

	/** Nothing runs for a transaction that ends in a rollback. */
	@Override
	public void lockAcquiredAgain() {
		if (this.refusal != null) {
			throw this.refusal;
		}
	}

	@Override
	public void savepoint(Object savepoint) {
		this.rows.savepoint(savepoint);
	}

	@Override
	public void savepointRollback(Object savepoint) {
		this.rows.rollbackTo(savepoint);
	}

	/** Pass the rows again that the innermost transaction has lost with a savepoint. */
	static void savepointWasRolledBack() {
		List<FencedTransaction> open = OPEN.get();
		if (!open.isEmpty()) {
			try {
				open.get(open.size() - 1).keep(LockContext.held(FencedTransaction::isKept));
				open.forEach((fenced) -> fenced.rows.passedAgain());
			}
			catch (RuntimeException ex) {
				logger.debug("A transaction ends in a rollback, because a savepoint has undone its fence", ex);
			}
		}
	}

	/** What was read without the fence is not known to be the newest. */
	@Override
	public void beforeCommit(boolean readOnly) {
		lockAcquiredAgain();
		for (Map.Entry<String, LockHandle> lock : held((request) -> true).entrySet()) {
			if (this.rows.isUndone(lock.getKey())) {
				throw this.failures.withoutFence(lock.getValue());
			}
		}
		pass(held(FencedTransaction::isKept));
	}

	/**
	 * Look whether a transaction has lost a row in a way that Spring is not told of, as
	 * by a statement that goes back to a savepoint.
	 */
	static void beforeCommit(TransactionExecution transaction) {
		for (FencedTransaction open : List.copyOf(OPEN.get())) {
			if (open.status == transaction && !open.rows.inside().isEmpty()) {
				open.requireRows();
			}
		}
	}

	private void requireRows() {
		this.table.findOther(this.rows.inside(), this.settings.patience()).ifPresent((row) -> {
			throw this.failures.withoutFence(held((request) -> true).get(row));
		});
	}

	/** A lock that ends with its method is not to be kept by its row. */
	private static boolean isKept(LockRequest request) {
		return request.release() == ReleasePolicy.AFTER_TRANSACTION;
	}

	private void pass(Map<String, LockHandle> held) {
		Map<String, LockHandle> locks = new HashMap<>(held);
		for (FencedTransaction open : OPEN.get()) {
			if (open == this || isBehind(open, locks.keySet())) {
				locks.keySet().removeAll(open.rows.passed());
			}
		}
		if (locks.isEmpty() || this.table.isReadOnly()) {
			return;
		}
		SortedMap<String, Long> tokens = new TreeMap<>();
		locks.forEach((row, lock) -> tokens.put(row, lock.fencingToken()));
		long usedAt = FenceMark.nextTime();
		Optional<FenceRefusal> refusal = pass(tokens, usedAt, Objects.requireNonNull(locks.get(tokens.firstKey())));
		if (refusal.isPresent()) {
			throw this.failures.stale(Objects.requireNonNull(locks.get(refusal.get().row())), refusal.get());
		}
		tokens.forEach((row, token) -> this.rows.add(row, new FenceMark(token, usedAt), this.failures.isBegun()));
		locks.values().forEach((lock) -> LockContext.tellFencedTransaction(lock, true));
	}

	private boolean isBehind(FencedTransaction outer, Set<String> rows) {
		return outer.dataSource.equals(this.dataSource) && !Collections.disjoint(outer.rows.passed(), rows)
				&& this.holder instanceof ConnectionHolder inner && outer.holder instanceof ConnectionHolder suspended
				&& FenceTable.keepsLocked(suspended.getConnection(), outer.rows.inside(), inner.getConnection());
	}

	private Map<String, LockHandle> held(Predicate<LockRequest> which) {
		return fenced(LockContext.held(which));
	}

	/** Return the locks that are fenced, by their rows. */
	private Map<String, LockHandle> fenced(Collection<? extends LockHandle> locks) {
		Map<String, LockHandle> fenced = new HashMap<>();
		for (LockHandle lock : locks) {
			if (lock.mode() == LockMode.EXCLUSIVE && this.settings.fenced().test(lock.id()) && isExcluding(lock)) {
				fenced.put(this.rowNames.computeIfAbsent(lock.id(), this::rowOf), lock);
			}
		}
		return fenced;
	}

	/**
	 * The rows do not tell of a later holder whose transaction was one within another
	 * that was rolled back, nor of one that has come when the outer transaction of this
	 * thread had lost its connection, and its rows.
	 */
	private static void requireHeld(LockHandle lock) {
		if (!lock.isValid()) {
			lock.verify();
		}
	}

	/** A lock that is switched off has a handle too. */
	private static boolean isExcluding(LockHandle lock) {
		return lock.unwrap(InMemoryLockProvider.class).map(InMemoryLockProvider::isExcluding).orElse(true);
	}

	private String rowOf(LockId lock) {
		String provider = (lock.provider() != null) ? lock.provider() : "";
		return LockHash.of(this.settings.scope() + "/" + provider, lock.name(), lock.key());
	}

	private Optional<FenceRefusal> pass(SortedMap<String, Long> tokens, long usedAt, LockHandle first) {
		try {
			return this.table.pass(tokens, usedAt, this.settings.patience());
		}
		catch (QueryTimeoutException ex) {
			throw this.failures.tooLate(first, isPassedByAnOuterOne(tokens.keySet()), ex);
		}
		catch (CannotAcquireLockException ex) {
			throw isConflict(ex) ? ex : this.failures.tooLate(first, isPassedByAnOuterOne(tokens.keySet()), ex);
		}
		catch (BadSqlGrammarException ex) {
			throw new IllegalStateException(FenceTable.missing(ex), ex);
		}
	}

	/**
	 * A snapshot that is too old, or a deadlock, which the database has ended at once.
	 */
	private static boolean isConflict(DataAccessException ex) {
		return ex.getMostSpecificCause() instanceof SQLException cause && cause.getSQLState() != null
				&& cause.getSQLState().startsWith("40");
	}

	private static boolean isPassedByAnOuterOne(Set<String> rows) {
		return OPEN.get().stream().anyMatch((open) -> !Collections.disjoint(open.rows.passed(), rows));
	}

	/**
	 * The rows are free from the end on, before anything else is told of it, and fence no
	 * transaction that begins then.
	 */
	private record End(FencedTransaction transaction) implements TransactionSynchronization, PriorityOrdered {

		@Override
		public int getOrder() {
			return HIGHEST_PRECEDENCE;
		}

		@Override
		public void afterCommit() {
			List<FencedTransaction> open = OPEN.get();
			open.remove(this.transaction);
			if (open.isEmpty()) {
				OPEN.remove();
			}
		}

		@Override
		public void afterCompletion(int status) {
			afterCommit();
		}

	}

}
