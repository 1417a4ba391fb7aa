package io.interlock.sample.rush;

import java.time.Duration;

import io.interlock.sample.web.InvalidRequestException;
import org.jspecify.annotations.Nullable;

import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.annotation.DurationFormat.Style;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * The rush over HTTP.
 */
@RestController
@RequestMapping("/demo/rush")
class RushController {

	private static final int MOST_BUYERS = 2000;

	private static final Duration LONGEST_PAYMENT = Duration.ofMillis(500);

	private final Rush rush;

	private final Crowd crowd;

	RushController(Rush rush, Crowd crowd) {
		this.rush = rush;
		this.crowd = crowd;
	}

	/**
	 * Take back all tickets of an event, and sell them to buyers on all instances.
	 * @param eventId the event
	 * @param buyers how many buyers
	 * @param payment how long a payment takes, for instance {@code 40ms}
	 * @return how it went
	 */
	@PostMapping
	RushResult rush(@RequestParam(defaultValue = "1") long eventId, @RequestParam(defaultValue = "200") int buyers,
			@RequestParam(required = false) @DurationFormat(style = Style.SIMPLE) @Nullable Duration payment) {
		check(buyers, payment);
		return this.rush.start(eventId, buyers, payment);
	}

	/**
	 * Serve the buyers that a rush on another instance has sent here.
	 * @param eventId the event
	 * @param buyers how many buyers
	 * @param payment how long a payment takes
	 * @return what they got
	 */
	@PostMapping("/share")
	Share share(@RequestParam long eventId, @RequestParam int buyers,
			@RequestParam(required = false) @DurationFormat(style = Style.SIMPLE) @Nullable Duration payment) {
		check(buyers, payment);
		return this.crowd.buy(eventId, buyers, payment);
	}

	private static void check(int buyers, @Nullable Duration payment) {
		if (buyers < 1 || buyers > MOST_BUYERS) {
			throw new InvalidRequestException(
					"'buyers' must be between 1 and %d, but was %d".formatted(MOST_BUYERS, buyers));
		}
		if (payment != null && (payment.isNegative() || payment.compareTo(LONGEST_PAYMENT) > 0)) {
			throw new InvalidRequestException(
					"'payment' must be between 0 and %d ms".formatted(LONGEST_PAYMENT.toMillis()));
		}
	}

}
