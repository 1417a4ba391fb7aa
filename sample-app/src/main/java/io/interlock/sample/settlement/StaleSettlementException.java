package io.interlock.sample.settlement;

/**
 * Thrown when a settlement comes after one with a newer lock.
 */
class StaleSettlementException extends RuntimeException {

	StaleSettlementException(long token) {
		super("A settlement with a newer token than %d has run; nothing was written".formatted(token));
	}

}
