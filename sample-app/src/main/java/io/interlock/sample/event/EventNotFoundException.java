package io.interlock.sample.event;

/**
 * Thrown when there is no such event.
 *
 * @since 0.1.0
 */
public class EventNotFoundException extends RuntimeException {

	EventNotFoundException(long eventId) {
		super("There is no event %d".formatted(eventId));
	}

}
