package io.interlock.faults.chaos;

import java.time.Duration;
import java.util.OptionalLong;

import javax.sql.DataSource;

import io.interlock.faults.chaos.Fault.Lane;
import org.awaitility.Awaitility;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Writes the greatest token into the row of a lock, so that its next grant fails, and
 * takes it back after a while. It costs no hold, and no other lock.
 */
final class PoisonedRows {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final JdbcClient client;

	PoisonedRows(DataSource database) {
		this.client = JdbcClient.create(database);
	}

	Fault fault() {
		return new Fault("ROW_POISONED", Lane.NODES, 1000, 5000, this::poison);
	}

	private void poison(Site site) throws InterruptedException {
		String lock = site.lock();
		OptionalLong token = token(lock);
		if (token.isPresent()) {
			site.during("poison in " + lock, () -> tryTo(() -> replace(lock, token.getAsLong(), Long.MAX_VALUE)),
					() -> Awaitility.await()
						.atMost(PATIENCE)
						.until(() -> tryTo(() -> replace(lock, Long.MAX_VALUE, token.getAsLong()))));
		}
	}

	private OptionalLong token(String lock) {
		try {
			return this.client.sql("SELECT token FROM interlock_lock WHERE lock_name = ?")
				.param(lock)
				.query(Long.class)
				.stream()
				.mapToLong(Long::longValue)
				.findFirst();
		}
		catch (DataAccessException ex) {
			return OptionalLong.empty();
		}
	}

	/** No token is given out while the row has the greatest one. */
	private void replace(String lock, long token, long next) {
		this.client.sql("UPDATE interlock_lock SET token = ? WHERE lock_name = ? AND token = ?")
			.params(next, lock, token)
			.update();
	}

	/** Return whether no other fault has kept it from being done. */
	private static boolean tryTo(Runnable change) {
		try {
			change.run();
			return true;
		}
		catch (DataAccessException ex) {
			return false;
		}
	}

}
