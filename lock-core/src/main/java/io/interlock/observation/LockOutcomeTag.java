package io.interlock.observation;

import java.util.Locale;

/**
 * How a wait or a hold ended.
 *
 * @since 0.1.0
 */
public enum LockOutcomeTag {

	/** It has not ended yet. */
	UNKNOWN,

	/** The wait ended with the lock. */
	ACQUIRED,

	/** The wait ended because others hold the lock. */
	NOT_ACQUIRED,

	/** The wait ended with an error. */
	FAILED,

	/** The hold ended with its release. */
	RELEASED,

	/** The lock was lost while it was held. */
	LOST;

	private final String value = name().toLowerCase(Locale.ROOT);

	/**
	 * {@return the outcome as the value of a tag, in lower case}
	 */
	public String value() {
		return this.value;
	}

}
