package io.interlock.sample.event;

import java.math.BigDecimal;
import java.time.Duration;

import io.interlock.sample.BoxOfficeProperties;

import org.springframework.stereotype.Component;

/**
 * Takes nothing but the time that a real payment takes. It is what makes the race between
 * reading and writing easy to see.
 */
@Component
class SlowPaymentService implements PaymentService {

	private final Duration time;

	SlowPaymentService(BoxOfficeProperties properties) {
		this.time = properties.paymentTime();
	}

	@Override
	public void pay(String buyer, BigDecimal amount) {
		try {
			Thread.sleep(this.time.toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("The payment of '%s' was interrupted".formatted(buyer), ex);
		}
	}

}
