package io.interlock.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.internal.PrintableText;
import io.interlock.lease.LeaseLine;
import io.interlock.lease.LeaseLine.Place;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.ResultSetExtractor;
import org.springframework.util.StringUtils;

/**
 * Reads {@link LeaseLine}s from the rows of locks and their contenders. Any client may
 * have written the texts. A name and a key are exact if the hash in the row proves them.
 */
final class LockLineMapper implements ResultSetExtractor<List<LeaseLine>> {

	private static final String UNKNOWN = "?";

	private final Function<LockId, String> hash;

	private final String beginning;

	private final @Nullable String askedName;

	private final @Nullable String askedKey;

	private final int maxRows;

	/**
	 * Create a mapper.
	 * @param hash returns what the row of a lock has as its key
	 * @param beginning how the names in the rows begin
	 * @param askedName the name that was asked for, which a row may have shortened
	 * @param askedKey the key that was asked for
	 * @param maxRows number of rows from which on a lock is not readable
	 */
	LockLineMapper(Function<LockId, String> hash, String beginning, @Nullable String askedName,
			@Nullable String askedKey, int maxRows) {
		this.hash = hash;
		this.beginning = beginning;
		this.askedName = askedName;
		this.askedKey = askedKey;
		this.maxRows = maxRows;
	}

	@Override
	public List<LeaseLine> extractData(ResultSet rows) throws SQLException {
		List<Line> lines = new ArrayList<>();
		Line line = null;
		for (int row = 0; rows.next(); row++) {
			String path = rows.getString("lock_id");
			if (line == null || !line.path.equals(path)) {
				line = new Line(path, rows.getString("lock_name"), rows.getString("lock_key"));
				lines.add(line);
				addOwner(line, rows);
			}
			addContender(line, rows);
			line.readable &= row < this.maxRows;
		}
		return lines.stream().map(this::describe).toList();
	}

	private static void addOwner(Line line, ResultSet rows) throws SQLException {
		if (rows.getInt("owned") == 1) {
			long token = rows.getLong("owner_token");
			line.places.add(new Place(text(rows, "owner"), text(rows, "instance"), LockMode.EXCLUSIVE, 1, 0, token,
					Instant.ofEpochMilli(rows.getLong("lease_end")), grantedAt(token)));
		}
	}

	private static void addContender(Line line, ResultSet rows) throws SQLException {
		if (rows.getString("contender") == null) {
			return;
		}
		LockMode mode = mode(rows.getString("lock_mode"));
		if (mode == null) {
			line.readable = false;
			return;
		}
		long token = rows.getLong("contender_token");
		line.places.add(new Place(text(rows, "contender"), text(rows, "contender_instance"), mode,
				rows.getInt("permits"), rows.getLong("turn"), token,
				Instant.ofEpochMilli(rows.getLong("contender_end")), grantedAt(token)));
	}

	/** A token is the time of its grant in microseconds, unless others came between. */
	private static @Nullable Instant grantedAt(long token) {
		return (token > 0) ? Instant.EPOCH.plus(token, ChronoUnit.MICROS) : null;
	}

	private static @Nullable LockMode mode(@Nullable String text) {
		return Arrays.stream(LockMode.values()).filter((mode) -> mode.name().equals(text)).findFirst().orElse(null);
	}

	private static String text(ResultSet rows, String column) throws SQLException {
		String text = rows.getString(column);
		return (text != null) ? ReadableText.original(text) : "";
	}

	private LeaseLine describe(Line line) {
		Optional<LockId> exact = candidates(line).filter((id) -> this.hash.apply(id).equals(line.path)).findFirst();
		LockId shown = exact.orElseGet(() -> id(PrintableText.of(nameOf(line)), PrintableText.of(line.key))
			.orElseGet(() -> new LockId(UNKNOWN, null)));
		return new LeaseLine(line.path, shown, exact.isPresent(), line.readable, line.places);
	}

	private Stream<LockId> candidates(Line line) {
		String name = nameOf(line);
		return Stream
			.of(id(name, line.key), id(ReadableText.original(name), ReadableText.original(line.key)),
					id(this.askedName, ReadableText.original(line.key)), id(this.askedName, line.key),
					id(this.askedName, this.askedKey))
			.flatMap(Optional::stream);
	}

	private String nameOf(Line line) {
		return line.name.startsWith(this.beginning) ? line.name.substring(this.beginning.length()) : line.name;
	}

	private static Optional<LockId> id(@Nullable String name, @Nullable String key) {
		return (StringUtils.hasText(name) && isShort(name) && (key == null || isShort(key)))
				? Optional.of(new LockId(name, StringUtils.hasText(key) ? key : null)) : Optional.empty();
	}

	private static boolean isShort(String text) {
		return text.length() <= LockId.MAX_LENGTH;
	}

	private static final class Line {

		private final String path;

		private final String name;

		private final String key;

		private final List<Place> places = new ArrayList<>();

		private boolean readable = true;

		Line(String path, @Nullable String name, @Nullable String key) {
			this.path = path;
			this.name = (name != null) ? name : "";
			this.key = (key != null) ? key : "";
		}

	}

}
