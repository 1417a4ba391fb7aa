package io.interlock.admin;

import org.jspecify.annotations.Nullable;

/**
 * Locks could not be read in time, or others read too many at once. Nothing says that the
 * coordination service is away: asking later, or for less, may succeed.
 *
 * @since 0.1.0
 */
public class LockInspectionBusyException extends LockInspectionException {

	/** Create an exception, which says what failed and what to do. */
	public LockInspectionBusyException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
