package io.interlock.jdbc;

import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Lets a hold that was kept outlive a database process that is killed at once. Every
 * known database but H2 writes what it commits before it answers. H2 does so up to
 * {@code WRITE_DELAY} later, unless it is told to write now. Safe for use by many
 * threads.
 */
final class WrittenHolds {

	private static final Log logger = LogFactory.getLog(WrittenHolds.class);

	private static final int NO_ADMINISTRATOR = 90040;

	private final JdbcCalls calls;

	private final AtomicBoolean told = new AtomicBoolean();

	private volatile @Nullable String product;

	WrittenHolds(JdbcCalls calls) {
		this.calls = calls;
	}

	/**
	 * Return when the kept hold is written, or a line says that it is not yet.
	 * @throws io.interlock.lease.LeaseStoreException if the database did not answer
	 */
	void write() {
		if (isH2() && !this.calls.run((client) -> write(client) || !isDelayed(client))
				&& this.told.compareAndSet(false, true)) {
			logger.warn("H2 may lose a lock that it keeps for its minimum hold time or for an operator, if its process "
					+ "is killed within WRITE_DELAY after that. Let an administrator of the database run SET "
					+ "WRITE_DELAY 0 once: the user of the locks may not write them to disk at once");
		}
	}

	private boolean isH2() {
		String product = this.product;
		if (product == null) {
			product = this.calls.product();
			this.product = product;
		}
		return LockDatabase.ofProduct(product).filter(LockDatabase.H2::equals).isPresent();
	}

	private static boolean write(JdbcClient client) {
		try {
			client.sql("CHECKPOINT SYNC").update();
			return true;
		}
		catch (DataAccessException ex) {
			if (ex.getMostSpecificCause() instanceof SQLException cause && cause.getErrorCode() == NO_ADMINISTRATOR) {
				return false;
			}
			throw ex;
		}
	}

	private static boolean isDelayed(JdbcClient client) {
		return client.sql("SELECT setting_value FROM information_schema.settings WHERE setting_name = 'WRITE_DELAY'")
			.query(String.class)
			.stream()
			.noneMatch("0"::equals);
	}

}
