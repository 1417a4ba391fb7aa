package io.interlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.lease.LeaseLine;
import io.interlock.lease.LeaseLine.Place;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a script has returned of a lock. Any client may have written the texts.
 */
final class LockLineReader {

	private static final String LAST = "last";

	private static final Pattern PLACE = Pattern
		.compile("(?s)1 (\\p{Upper}+) (\\d{1,9}) (-?\\d{1,18}) (\\d{1,18}) (\\d{1,18}) \\S+ (.*)");

	private LockLineReader() {
	}

	/** Read a lock: the time, and its fields and values; empty if it has no fields. */
	static Optional<LeaseLine> read(String key, LockId lock, List<?> answer) {
		List<String> texts = answer.stream().map(LockLineReader::text).toList();
		if (texts.size() == 1) {
			return Optional.empty();
		}
		long now = Long.parseLong(texts.get(0));
		boolean isHash = texts.size() % 2 == 1;
		boolean readable = isHash;
		List<Place> places = new ArrayList<>();
		for (int i = 1; isHash && i < texts.size(); i += 2) {
			if (!texts.get(i).equals(LAST)) {
				Matcher value = PLACE.matcher(texts.get(i + 1));
				LockMode mode = value.matches() ? mode(value.group(1)) : null;
				readable &= mode != null;
				if (mode != null && Long.parseLong(value.group(5)) > now) {
					places.add(place(texts.get(i), mode, value));
				}
			}
		}
		return Optional.of(new LeaseLine(key, lock, true, readable, places));
	}

	private static Place place(String contender, LockMode mode, Matcher value) {
		long token = Long.parseLong(value.group(4));
		return new Place(contender, value.group(6), mode, Integer.parseInt(value.group(2)),
				Long.parseLong(value.group(3)), token, time(value.group(5)), (token > 0) ? time(value.group(4)) : null);
	}

	/** A token is the time of its grant, unless others came between. */
	private static Instant time(String micros) {
		return Instant.EPOCH.plus(Long.parseLong(micros), ChronoUnit.MICROS);
	}

	private static @Nullable LockMode mode(String text) {
		return Arrays.stream(LockMode.values()).filter((mode) -> mode.name().equals(text)).findFirst().orElse(null);
	}

	private static String text(Object part) {
		return (part instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8) : part.toString();
	}

}
