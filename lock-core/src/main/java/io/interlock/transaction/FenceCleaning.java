package io.interlock.transaction;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.PermissionDeniedDataAccessException;
import org.springframework.jdbc.BadSqlGrammarException;

/**
 * Deletes the rows of locks under which no transaction has run for long, at most once a
 * day. Several instances may do it at once.
 */
final class FenceCleaning {

	private static final Log logger = LogFactory.getLog(FenceCleaning.class);

	private static final long UNUSED_MILLIS = Duration.ofDays(30).toMillis();

	private static final long PERIOD_MILLIS = Duration.ofDays(1).toMillis();

	private final FenceTable table;

	private final Executor executor;

	/** When it is due, in milliseconds. */
	private final AtomicLong due = new AtomicLong(Long.MAX_VALUE);

	FenceCleaning(FenceTable table, Executor executor) {
		this.table = table;
		this.executor = executor;
	}

	/** Clean now, and then once a day. */
	void begin(long now) {
		this.due.set(now);
		cleanIfDue(now);
	}

	void cleanIfDue(long now) {
		long due = this.due.get();
		if (now >= due && this.due.compareAndSet(due, now + PERIOD_MILLIS)) {
			try {
				this.executor.execute(() -> clean(now - UNUSED_MILLIS));
			}
			catch (RuntimeException | Error ex) {
				logger.debug("No thread is available to delete unused rows of interlock_fence", ex);
			}
		}
	}

	private void clean(long before) {
		try {
			while (this.table.deletePiece(before)) {
				logger.trace("Deleted some unused rows of interlock_fence");
			}
		}
		catch (BadSqlGrammarException | PermissionDeniedDataAccessException ex) {
			logger.warn("Rows of interlock_fence that are unused for 30 days are kept, because the application may "
					+ "not delete them: " + ex.getMostSpecificCause().getMessage());
		}
		catch (DataAccessException ex) {
			logger.debug("Rows of interlock_fence that are unused for 30 days are kept until tomorrow", ex);
		}
	}

}
