package io.interlock.faults.counter;

import java.util.Locale;

import javax.sql.DataSource;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A row of a table that is incremented by a read and a write, under the lock of its name.
 */
public enum Counter {

	/**
	 * Its transactions are not fenced.
	 */
	BARE("no", TransactionDefinition.ISOLATION_DEFAULT),

	/**
	 * Its transactions are fenced.
	 */
	FENCED("yes", TransactionDefinition.ISOLATION_DEFAULT),

	/**
	 * Its transactions are fenced, and their snapshots older than that on PostgreSQL.
	 */
	SERIALIZABLE("yes, SERIALIZABLE", TransactionDefinition.ISOLATION_SERIALIZABLE);

	private final String fence;

	private final int isolation;

	Counter(String fence, int isolation) {
		this.fence = fence;
		this.isolation = isolation;
	}

	/**
	 * {@return how its transactions are fenced}
	 */
	public String fence() {
		return this.fence;
	}

	TransactionOperations transactions(PlatformTransactionManager manager) {
		TransactionTemplate transactions = new TransactionTemplate(manager);
		transactions.setIsolationLevel(this.isolation);
		return transactions;
	}

	/**
	 * Make a table with all counters at zero.
	 * @param dataSource its database
	 */
	public static void createAll(DataSource dataSource) {
		JdbcClient jdbc = JdbcClient.create(dataSource);
		jdbc.sql("CREATE TABLE counter (name VARCHAR(20) PRIMARY KEY, amount INTEGER NOT NULL)").update();
		for (Counter counter : values()) {
			jdbc.sql("INSERT INTO counter VALUES (?, 0)").param(counter.name()).update();
		}
	}

	/**
	 * Set all counters to zero.
	 * @param dataSource the database
	 */
	public static void resetAll(DataSource dataSource) {
		JdbcClient.create(dataSource).sql("UPDATE counter SET amount = 0").update();
	}

	/**
	 * Read the row.
	 * @param dataSource the database
	 * @return its amount
	 */
	public int read(DataSource dataSource) {
		return JdbcClient.create(dataSource)
			.sql("SELECT amount FROM counter WHERE name = ?")
			.param(name())
			.query(Integer.class)
			.single();
	}

	void write(DataSource dataSource, int amount) {
		JdbcClient.create(dataSource)
			.sql("UPDATE counter SET amount = ? WHERE name = ?")
			.param(amount)
			.param(name())
			.update();
	}

	String lock() {
		return name().toLowerCase(Locale.ROOT);
	}

}
