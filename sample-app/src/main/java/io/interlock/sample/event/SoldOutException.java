package io.interlock.sample.event;

/**
 * Thrown when all seats of an event are sold.
 *
 * @since 0.1.0
 */
public class SoldOutException extends RuntimeException {

	SoldOutException(Event event) {
		super("All %d seats of '%s' are sold".formatted(event.seats(), event.title()));
	}

}
