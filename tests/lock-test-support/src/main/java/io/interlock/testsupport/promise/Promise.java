package io.interlock.testsupport.promise;

/**
 * A promise of the page {@code docs/guarantees.md}. The constants are its headings, in
 * their order.
 *
 * @since 0.1.0
 */
public enum Promise {

	EXCLUSION,

	THE_DEADLINE,

	NOTHING_IS_LEFT_BEHIND,

	THE_PLACE_IN_THE_QUEUE,

	VALIDITY,

	A_LOSS_IS_TOLD,

	THE_FENCING_TOKEN,

	TRANSACTIONS,

	SHUTDOWN,

	WAITS_THAT_CANNOT_END,

	HOLDING_TOO_LONG,

	HOLDING_AT_LEAST,

	OPERATORS

}
