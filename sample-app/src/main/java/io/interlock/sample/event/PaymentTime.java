package io.interlock.sample.event;

import java.time.Duration;

import io.interlock.sample.BoxOfficeProperties;

import org.springframework.stereotype.Component;

/**
 * How long a payment takes on this instance. Safe for use by many threads.
 *
 * @since 0.1.0
 */
@Component
public class PaymentTime {

	private final Duration usual;

	private volatile Duration current;

	PaymentTime(BoxOfficeProperties properties) {
		this.usual = properties.paymentTime();
		this.current = this.usual;
	}

	/**
	 * Let payments take another time from now on.
	 * @param time how long
	 */
	public void change(Duration time) {
		this.current = time;
	}

	/**
	 * Let payments take as long as usual from now on.
	 */
	public void reset() {
		this.current = this.usual;
	}

	Duration current() {
		return this.current;
	}

}
