package io.interlock.sample.show.rush;

import java.time.Duration;

import io.interlock.sample.web.InvalidRequestException;
import org.jspecify.annotations.Nullable;

import org.springframework.format.annotation.DurationFormat.Style;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * Asks for a rush, or for a share of one.
 *
 * @param eventId the event; the first one when not set
 * @param buyers how many buyers; 200 when not set
 * @param payment how long a payment takes, for instance {@code 40ms}; as long as usual
 * when not set
 */
record RushRequest(@Nullable Long eventId, @Nullable Integer buyers, @Nullable String payment) {

	private static final int MOST_BUYERS = 2000;

	private static final Duration LONGEST_PAYMENT = Duration.ofMillis(500);

	static RushRequest of(long eventId, int buyers, @Nullable Duration payment) {
		return new RushRequest(eventId, buyers, (payment != null) ? payment.toMillis() + "ms" : null);
	}

	long event() {
		return (this.eventId != null) ? this.eventId : 1;
	}

	int numberOfBuyers() {
		int number = (this.buyers != null) ? this.buyers : 200;
		if (number < 1 || number > MOST_BUYERS) {
			throw new InvalidRequestException(
					"'buyers' must be between 1 and %d, but was %d".formatted(MOST_BUYERS, number));
		}
		return number;
	}

	@Nullable Duration paymentTime() {
		if (this.payment == null || this.payment.isBlank()) {
			return null;
		}
		Duration time = parse(this.payment);
		if (time.isNegative() || time.compareTo(LONGEST_PAYMENT) > 0) {
			throw new InvalidRequestException(
					"'payment' must be between 0 and %d ms".formatted(LONGEST_PAYMENT.toMillis()));
		}
		return time;
	}

	private static Duration parse(String text) {
		try {
			return DurationFormatterUtils.parse(text, Style.SIMPLE);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidRequestException("'payment' must be a time such as 40ms");
		}
	}

}
