package io.interlock.zookeeper.internal.operator;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.interlock.LockHandle;
import io.interlock.RevocationRequest;
import io.interlock.zookeeper.internal.node.LockPaths;
import io.interlock.zookeeper.internal.node.OwnerRecord;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.json.JsonWriter;

/**
 * One line of a {@link RevocationBoard}: a request to the holder of a lock by its token
 * and hand-off number, or by its token alone. The lock is named by its node.
 */
record RevocationRecord(String uuid, String lock, long token, @Nullable Integer handoff, RevocationRequest request) {

	/** A board keeps the last requests only. */
	static final int KEPT = 20;

	/** A longer line is no record. */
	static final int MAX_LENGTH = 2048;

	/** No longer data is Interlock's. */
	static final int MAX_BYTES = KEPT * (MAX_LENGTH + 1);

	private static final int VERSION = 1;

	private static final int MAX_UUID = 64;

	private static final int MAX_TEXT = 256;

	private static final JsonWriter<RevocationRecord> WRITER = JsonWriter.of((json) -> {
		json.add("version", VERSION);
		json.add("uuid", RevocationRecord::uuid);
		json.add("lock", RevocationRecord::lock);
		json.add("token", RevocationRecord::token);
		json.add("handoff", RevocationRecord::handoff).whenNotNull();
		json.add("requestedBy", (record) -> OwnerRecord.cut(record.request().requestedBy(), 200));
		json.add("requestedAt", (record) -> record.request().requestedAt());
	});

	static RevocationRecord of(String uuid, String node, long token, @Nullable Integer handoff,
			RevocationRequest request) {
		return new RevocationRecord(uuid, node, token, handoff, request);
	}

	/** Tokens are never used twice, so an old request means no hold at all. */
	boolean means(LockHandle hold) {
		return this.token == hold.fencingToken() && (this.handoff == null || this.handoff == hold.handoff())
				&& this.lock.equals(LockPaths.nodeOf(hold.id()));
	}

	static String text(RevocationRecord record) {
		return OwnerRecord.toJson(WRITER, record);
	}

	/** Write records, one to a line. */
	static byte[] write(List<RevocationRecord> records) {
		return records.stream()
			.map(RevocationRecord::text)
			.collect(Collectors.joining("\n"))
			.getBytes(StandardCharsets.US_ASCII);
	}

	/**
	 * Read records of any client, skipping other lines. Only the last lines count, no
	 * more than a board keeps. Never fails.
	 */
	static List<RevocationRecord> parse(byte @Nullable [] data) {
		if (data == null || data.length > MAX_BYTES) {
			return List.of();
		}
		List<String> lines = new String(data, StandardCharsets.UTF_8).lines().toList();
		return lines.stream()
			.skip(Math.max(0, lines.size() - KEPT))
			.filter((line) -> line.length() <= MAX_LENGTH)
			.flatMap((line) -> Stream.ofNullable(OwnerRecord.parse(line)))
			.flatMap((values) -> Stream.ofNullable(of(values)))
			.filter(RevocationRecord::isShort)
			.toList();
	}

	/** Return whether a line has room for this record. */
	private boolean isShort() {
		return this.uuid.length() <= MAX_UUID && this.lock.length() <= MAX_TEXT
				&& this.request.requestedBy().length() <= MAX_TEXT && text(this).length() <= MAX_LENGTH;
	}

	private static @Nullable RevocationRecord of(Map<String, Object> values) {
		Integer handoff = (values.get("handoff") instanceof Long number) ? (Integer) number.intValue() : null;
		if (values.get("uuid") instanceof String uuid && values.get("lock") instanceof String lock
				&& values.get("token") instanceof Long token && values.get("requestedBy") instanceof String requestedBy
				&& values.get("requestedAt") instanceof String requestedAt && !requestedBy.isBlank()) {
			try {
				return new RevocationRecord(uuid, lock, token, handoff,
						new RevocationRequest(requestedBy, Instant.parse(requestedAt)));
			}
			catch (DateTimeException ex) {
				return null;
			}
		}
		return null;
	}

}
