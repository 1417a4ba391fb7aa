package io.interlock.admin;

/**
 * There are too many locks, or other keys, to list locks. The coordination service
 * answers, locks are acquired as ever, and one can be read by its name and key.
 *
 * @since 0.1.0
 */
public class TooManyLocksException extends LockInspectionException {

	/** Create an exception, which says how many there are and what to do. */
	public TooManyLocksException(String message) {
		super(message, null);
	}

}
