package io.interlock.sample.fault;

/**
 * Thrown when the holder that was to lose a lock has it no more.
 */
class HolderGoneException extends RuntimeException {

	HolderGoneException(long token) {
		super("The holder with token %d has let go already. Nothing was freed.".formatted(token));
	}

}
