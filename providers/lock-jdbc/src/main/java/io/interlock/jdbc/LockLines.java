package io.interlock.jdbc;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.interlock.LockId;
import io.interlock.admin.LockInspector.Query;
import io.interlock.internal.PrintableText;
import io.interlock.lease.LeaseLine;
import io.interlock.lease.LeaseLine.Lines;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Reads locks for operators, by few statements of a second at the most.
 */
final class LockLines {

	/** More contenders are no answer for people. */
	private static final int MAX_ROWS = 20_000;

	private static final Duration PATIENCE = Duration.ofSeconds(1);

	private final JdbcCalls calls;

	private final JdbcStatements sql;

	private final LineStatements statements;

	private final String beginning;

	LockLines(JdbcCalls calls, JdbcStatements sql, JdbcLeaseStoreSettings settings) {
		this.calls = calls.within(PATIENCE);
		this.sql = sql;
		this.statements = new LineStatements(sql, settings);
		this.beginning = settings.namespace().isEmpty() ? "" : settings.namespace() + ":";
	}

	Optional<LeaseLine> line(LockId id) {
		return this.calls.run((client) -> read(client, List.of(this.sql.idOf(id)), id.name(), id.key()))
			.stream()
			.findFirst();
	}

	Lines lines(Query query) {
		String name = query.name();
		if (name != null && query.key() != null) {
			List<LeaseLine> one = line(new LockId(name, query.key())).stream()
				.filter((line) -> !query.busy() || !line.places().isEmpty())
				.toList();
			return new Lines(one.size(), one.stream().skip(query.offset()).toList());
		}
		String names = (name != null) ? LineStatements.ofName() : LineStatements.beginningWith(this.beginning);
		String text = (name != null) ? this.sql.nameOf(new LockId(name, null)) : this.beginning;
		return this.calls.run((client) -> {
			int total = client.sql(this.statements.count(names, query.busy()))
				.param(text)
				.query(Integer.class)
				.single();
			return new Lines(total, read(client, page(client, names, text, query), name, null));
		});
	}

	private List<String> page(JdbcClient client, String names, String text, Query query) {
		int skipped = this.statements.skipped(query.offset());
		return client.sql(this.statements.page(names, query.busy(), query.offset(), query.limit()))
			.param(text)
			.withMaxRows(skipped + query.limit())
			.query((row, number) -> PrintableText.of(row.getString("lock_id")))
			.list()
			.stream()
			.skip(skipped)
			.toList();
	}

	private List<LeaseLine> read(JdbcClient client, List<String> locks, @Nullable String name, @Nullable String key) {
		if (locks.isEmpty()) {
			return List.of();
		}
		LockLineMapper mapper = new LockLineMapper(this.sql::idOf, this.beginning, name, key, MAX_ROWS);
		Map<String, LeaseLine> lines = client.sql(this.statements.lines(locks.size()))
			.params(locks)
			.withMaxRows(MAX_ROWS + 1)
			.query(mapper)
			.stream()
			.collect(Collectors.toMap(LeaseLine::path, Function.identity(), (one, other) -> one, HashMap::new));
		return locks.stream().flatMap((lock) -> Stream.ofNullable(lines.get(lock))).toList();
	}

}
