package io.interlock.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.interlock.LockId;
import io.interlock.provider.RunRecords;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The last runs of jobs, a row of the table {@code interlock_run} for each name. The
 * table is optional: without it, each instance knows only its own runs.
 */
final class RunRows implements RunRecords {

	private final JdbcCalls calls;

	private final JdbcStatements sql;

	RunRows(JdbcCalls calls, JdbcStatements sql) {
		this.calls = calls;
		this.sql = sql;
	}

	@Override
	public void record(Run run) {
		this.calls.run((client) -> {
			if (write(client, this.sql.updateRun(), run) > 0) {
				return true;
			}
			try {
				return write(client, this.sql.insertRun(), run) > 0;
			}
			catch (DuplicateKeyException ex) {
				// Another instance has written the first run of the name.
				return false;
			}
		});
	}

	private int write(JdbcClient client, String statement, Run run) {
		Instant success = run.lastSuccess();
		List<@Nullable Object> values = new ArrayList<>();
		values.add(this.sql.nameOf(new LockId(run.name(), null)));
		values.add((run.key() != null) ? ReadableText.of(run.key()) : null);
		values.add(ReadableText.of(run.instance()));
		values.add(run.startedAt().toEpochMilli());
		values.add(run.duration().toMillis());
		values.add(ReadableText.of(run.outcome()));
		values.add((success != null) ? success.toEpochMilli() : null);
		values.add(this.sql.idOf(new LockId(run.name(), null)));
		return client.sql(statement).params(values).update();
	}

	@Override
	public List<Run> runs(Collection<String> names) {
		return this.calls.run((client) -> names.stream()
			.flatMap((name) -> client.sql(this.sql.run())
				.param(this.sql.idOf(new LockId(name, null)))
				.query((row, number) -> read(name, row))
				.list()
				.stream())
			.toList());
	}

	private static Run read(String name, ResultSet row) throws SQLException {
		long success = row.getLong("succeeded_at");
		return new Run(name, row.getString("lock_key"), row.getString("instance"),
				Instant.ofEpochMilli(row.getLong("started_at")), Duration.ofMillis(row.getLong("millis")),
				row.getString("outcome"), (success > 0) ? Instant.ofEpochMilli(success) : null);
	}

}
