package io.interlock.admin;

import org.jspecify.annotations.Nullable;

/**
 * Locks could not be read, or not be freed, because the coordination service does not
 * answer or does not permit it.
 *
 * @since 0.1.0
 */
public class LockInspectionException extends RuntimeException {

	/**
	 * Create an exception.
	 * @param message what could not be read and what to do
	 * @param cause the reason, if there is another one than silence
	 */
	public LockInspectionException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
