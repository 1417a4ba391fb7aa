package io.interlock.curator;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.RevocationRequest;
import org.jspecify.annotations.Nullable;

/**
 * One line of {@link RevocationBoard}: who asks which holder to give its lock up.
 *
 * @param uuid tells requests apart
 * @param lock name of the node of the lock
 * @param token token of the node that holds it
 * @param handoff hand-off number of the holder; {@code null} for whoever holds the lock
 * by that node when the request arrives
 * @param request who asks
 */
record RevocationRecord(String uuid, String lock, long token, @Nullable Integer handoff, RevocationRequest request) {

	private static final int VERSION = 1;

	private static final int MAX_NAME = 200;

	/**
	 * Return whether a hold is meant. Tokens are never used twice, so a request that was
	 * made long ago means nobody.
	 */
	boolean means(LockHandle hold) {
		return this.token == hold.fencingToken() && (this.handoff == null || this.handoff == hold.handoff())
				&& this.lock.equals(LockPaths.nodeOf(hold.id()));
	}

	static RevocationRecord of(String uuid, LockId id, long token, @Nullable Integer handoff,
			RevocationRequest request) {
		return new RevocationRecord(uuid, LockPaths.nodeOf(id), token, handoff, request);
	}

	/**
	 * Write records, each to a line.
	 */
	static byte[] write(List<RevocationRecord> records) {
		return records.stream()
			.map(RevocationRecord::toLine)
			.collect(Collectors.joining("\n"))
			.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Read what {@link #write} wrote, and leave out whatever it did not.
	 */
	static List<RevocationRecord> parse(byte @Nullable [] data) {
		if (data == null) {
			return List.of();
		}
		return Stream.of(new String(data, StandardCharsets.UTF_8).split("\n"))
			.map(FlatJson::parse)
			.filter(Objects::nonNull)
			.map(RevocationRecord::of)
			.filter(Objects::nonNull)
			.map(Objects::requireNonNull)
			.toList();
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

	private String toLine() {
		return new FlatJsonWriter().append("version", VERSION)
			.append("uuid", this.uuid, 40)
			.append("lock", this.lock, Integer.MAX_VALUE)
			.append("token", this.token)
			.append("handoff", this.handoff)
			.append("requestedBy", this.request.requestedBy(), MAX_NAME)
			.append("requestedAt", this.request.requestedAt().toString(), 40)
			.toString();
	}

}
