package io.interlock.benchmark.load;

import java.io.Serial;

/**
 * Two held what only one can hold: the run is worth nothing.
 *
 * @since 0.1.0
 */
public class ExclusionViolation extends RuntimeException {

	@Serial
	private static final long serialVersionUID = 1L;

	/**
	 * Create a violation.
	 * @param message what was seen
	 */
	public ExclusionViolation(String message) {
		super(message);
	}

}
