package io.interlock.actuate.endpoint;

import java.util.Objects;

import io.interlock.LockId;
import io.interlock.admin.LockQuery;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/**
 * Tells a caller which parameter is wrong.
 */
final class Parameters {

	private static final int LIMIT = 100;

	private static final int QUEUE_LIMIT_OF_MANY = 10;

	private static final int QUEUE_LIMIT_OF_ONE = 100;

	private Parameters() {
	}

	static void check(boolean valid, String message) {
		if (!valid) {
			throw new InvalidEndpointRequestException(message, message);
		}
	}

	/**
	 * Build the query for parameters that may be missing. More contenders are shown when
	 * one name was asked for.
	 */
	static LockQuery query(@Nullable String name, @Nullable String key, @Nullable Integer offset,
			@Nullable Integer limit, @Nullable Integer queueLimit) {
		try {
			return new LockQuery(name, key, Objects.requireNonNullElse(offset, 0),
					Objects.requireNonNullElse(limit, LIMIT),
					Objects.requireNonNullElse(queueLimit, (name != null) ? QUEUE_LIMIT_OF_ONE : QUEUE_LIMIT_OF_MANY));
		}
		catch (IllegalArgumentException ex) {
			throw refused(ex);
		}
	}

	static LockId id(String name, @Nullable String key) {
		try {
			return new LockId(name, key);
		}
		catch (IllegalArgumentException ex) {
			throw refused(ex);
		}
	}

	private static InvalidEndpointRequestException refused(IllegalArgumentException ex) {
		String message = String.valueOf(ex.getMessage());
		return new InvalidEndpointRequestException(message, message, ex);
	}

}
