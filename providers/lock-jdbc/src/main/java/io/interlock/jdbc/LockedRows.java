package io.interlock.jdbc;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.interlock.lease.LeaseStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Reaches rows that another transaction may have locked, in these steps:
 * <ol>
 * <li>A call passes over its row if that is locked.
 * <li>Then it waits for the row, for a second at the most, unless another call waits.
 * <li>Otherwise it fails as {@linkplain LeaseStoreException#isUndone() undone}, and the
 * caller tries again after a pause.
 * </ol>
 * So locked rows take one thread and one connection, however many they are, and a row
 * that short transactions lock again and again is reached in its turn. Safe for use by
 * many threads.
 */
final class LockedRows {

	private static final Duration PATIENCE = Duration.ofSeconds(1);

	private final JdbcCalls calls;

	private final JdbcCalls patient;

	private final Semaphore waiting = new Semaphore(1);

	LockedRows(JdbcCalls calls) {
		this.calls = calls;
		this.patient = calls.within(PATIENCE);
	}

	/** Return the failure of a call that has passed over its row. */
	static LeaseStoreException passedOver(@Nullable Throwable cause) {
		return LeaseStoreException.undone("another transaction has locked the row of the lock", cause);
	}

	/**
	 * Run a call whose statements are transactions of their own.
	 * @param lock waits for the row, and locks it
	 * @param call changes the row, or fails with {@link #passedOver}
	 */
	<T extends @Nullable Object> T run(Consumer<JdbcClient> lock, Function<JdbcClient, T> call) {
		return reach(() -> this.calls.run(call), lock, call);
	}

	/** Like {@link #run}, in one transaction. */
	<T extends @Nullable Object> T runInTransaction(Consumer<JdbcClient> lock, Function<JdbcClient, T> call) {
		return reach(() -> this.calls.runInTransaction(call), lock, call);
	}

	private <T extends @Nullable Object> T reach(Supplier<T> passing, Consumer<JdbcClient> lock,
			Function<JdbcClient, T> call) {
		try {
			return passing.get();
		}
		catch (LeaseStoreException ex) {
			if (!ex.isUndone() || !this.waiting.tryAcquire()) {
				throw ex;
			}
		}
		try {
			return this.patient.runInTransaction((client) -> {
				lock.accept(client);
				return call.apply(client);
			});
		}
		catch (LeaseStoreException ex) {
			throw hasWaited(ex.getCause()) ? passedOver(ex) : ex;
		}
		finally {
			this.waiting.release();
		}
	}

	private static boolean hasWaited(@Nullable Throwable failure) {
		return failure instanceof QueryTimeoutException || failure instanceof ConcurrencyFailureException;
	}

}
