package io.interlock;

import java.time.Instant;

import io.interlock.internal.PrintableText;

import org.springframework.util.Assert;

/**
 * Request of an operator to give up a lock.
 *
 * @param requestedBy name of the operator, made safe for a line of the log
 * @param requestedAt time of the request, by the clock of the operator's machine
 * @since 0.1.0
 */
public record RevocationRequest(String requestedBy, Instant requestedAt) {

	public RevocationRequest {
		Assert.hasText(requestedBy, "'requestedBy' must not be empty");
		Assert.notNull(requestedAt, "'requestedAt' must not be null");
		requestedBy = PrintableText.of(requestedBy.replaceAll("\\p{Cntrl}", "?"));
	}

}
