package io.interlock.autoconfigure;

import org.jspecify.annotations.Nullable;

/**
 * The place where locks are to live cannot be used.
 */
class StartupCheckException extends RuntimeException {

	private final String action;

	StartupCheckException(String description, String action, @Nullable Throwable cause) {
		super(description, cause);
		this.action = action;
	}

	String getAction() {
		return this.action;
	}

}
