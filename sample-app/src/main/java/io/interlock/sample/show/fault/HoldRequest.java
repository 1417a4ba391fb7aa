package io.interlock.sample.show.fault;

import java.time.Duration;

import io.interlock.LockRequest;
import io.interlock.sample.web.InvalidRequestException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * Asks an instance to hold a lock for a while.
 *
 * @param instance which instance
 * @param name name of the lock
 * @param key what the name is narrowed to, if at all
 * @param seconds for how long
 */
record HoldRequest(@Nullable String instance, @Nullable String name, @Nullable String key, int seconds) {

	private static final int MOST_SECONDS = 60;

	private static final int LONGEST_TEXT = 100;

	private static final Duration WAIT_TIME = Duration.ofSeconds(30);

	LockRequest lockRequest() {
		if (!StringUtils.hasText(this.name) || !isShort(this.name) || (this.key != null && !isShort(this.key))) {
			throw new InvalidRequestException(
					"'name', and 'key' if there is one, must have between 1 and %d characters".formatted(LONGEST_TEXT));
		}
		if (this.seconds < 1 || this.seconds > MOST_SECONDS) {
			throw new InvalidRequestException(
					"'seconds' must be between 1 and %d, but was %d".formatted(MOST_SECONDS, this.seconds));
		}
		LockRequest request = LockRequest.exclusive(this.name).withWaitTime(WAIT_TIME);
		return (this.key != null) ? request.withKey(this.key) : request;
	}

	private static boolean isShort(String text) {
		return !text.isBlank() && text.length() <= LONGEST_TEXT;
	}

}
