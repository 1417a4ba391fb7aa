package io.interlock.sample.event;

import java.math.BigDecimal;

import org.springframework.stereotype.Component;

/**
 * Takes nothing but the time that a real payment takes. It is what makes the race between
 * reading and writing easy to see.
 */
@Component
class SlowPaymentService implements PaymentService {

	private final PaymentTime time;

	private final PaymentPauses pauses;

	SlowPaymentService(PaymentTime time, PaymentPauses pauses) {
		this.time = time;
		this.pauses = pauses;
	}

	@Override
	public void pay(String buyer, BigDecimal amount) {
		this.pauses.pause(buyer);
		try {
			Thread.sleep(this.time.current().toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("The payment of '%s' was interrupted".formatted(buyer), ex);
		}
	}

}
