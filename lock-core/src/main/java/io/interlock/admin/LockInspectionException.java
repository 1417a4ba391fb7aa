package io.interlock.admin;

import org.jspecify.annotations.Nullable;

/**
 * Locks could not be read or taken away, because the coordination service does not answer
 * or does not permit it.
 *
 * @since 0.1.0
 */
public class LockInspectionException extends RuntimeException {

	/** Create an exception, which says what failed and what to do. */
	public LockInspectionException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
