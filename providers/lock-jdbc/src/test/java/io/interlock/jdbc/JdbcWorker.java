package io.interlock.jdbc;

import java.time.Duration;

import io.interlock.testing.process.LockWorker;

/**
 * An instance in a JVM of its own, on the database at a URL.
 */
final class JdbcWorker {

	private JdbcWorker() {
	}

	public static void main(String[] arguments) throws Exception {
		JdbcInstances instances = new JdbcInstances(LockDatabase.POSTGRESQL, arguments[0], Duration.parse(arguments[1]),
				10);
		LockWorker.run(instances.start(), new JdbcCounter(instances.pool()));
	}

}
