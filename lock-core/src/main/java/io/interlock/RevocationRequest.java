package io.interlock;

import java.time.Instant;

import org.springframework.util.Assert;

/**
 * An operator asks a holder to give its lock up.
 *
 * @param requestedBy name of the operator; control characters become question marks, and
 * others that could forge a line are escaped, because it is written to the log
 * @param requestedAt since when, by the clock of the machine where it was asked for
 * @since 0.1.0
 */
public record RevocationRequest(String requestedBy, Instant requestedAt) {

	public RevocationRequest {
		Assert.hasText(requestedBy, "'requestedBy' must not be empty");
		Assert.notNull(requestedAt, "'requestedAt' must not be null");
		requestedBy = PrintableText.of(requestedBy.replaceAll("\\p{Cntrl}", "?"));
	}

}
