package io.interlock.lease;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.interlock.RevocationRequest;
import org.jspecify.annotations.Nullable;

/**
 * A request to give a lock up, with its holder, as one text in a store. Immutable.
 *
 * @param holder identifier of the contender that holds the lock
 * @param handoff the hand-off number that is meant; {@code null} for any
 * @param request the request
 */
record HolderRequest(String holder, @Nullable Integer handoff, RevocationRequest request) {

	private static final Pattern TEXT = Pattern.compile("ask ([^| ]{1,64}) (\\d{1,9}|-) (\\S{10,40}Z) (.+)");

	String text() {
		String text = "ask %s %s %s %s".formatted(this.holder, (this.handoff != null) ? this.handoff : "-",
				this.request.requestedAt().truncatedTo(ChronoUnit.MILLIS), this.request.requestedBy());
		return text.substring(0, Math.min(text.length(), LeaseOwner.MAX_LENGTH));
	}

	/** Return the request that a text tells, or {@code null} if it tells none. */
	static @Nullable HolderRequest parse(String text) {
		Matcher parts = TEXT.matcher(text);
		try {
			return parts.matches() ? new HolderRequest(parts.group(1),
					parts.group(2).equals("-") ? null : Integer.valueOf(parts.group(2)),
					new RevocationRequest(parts.group(4), Instant.parse(parts.group(3)))) : null;
		}
		catch (DateTimeParseException | IllegalArgumentException ex) {
			return null;
		}
	}

}
