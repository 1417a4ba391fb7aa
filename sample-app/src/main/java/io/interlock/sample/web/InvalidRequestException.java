package io.interlock.sample.web;

/**
 * Thrown when a request cannot be served as it is.
 *
 * @since 0.1.0
 */
public class InvalidRequestException extends RuntimeException {

	/**
	 * Create an exception.
	 * @param message what is wrong, and what is allowed
	 */
	public InvalidRequestException(String message) {
		super(message);
	}

}
