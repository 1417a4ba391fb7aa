package io.interlock.page.recipe;

import io.interlock.annotation.DistributedLock;

import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.stereotype.Component;

/**
 * Pays orders that other callers change too.
 */
@Component
class PaymentListener {

	private final Orders orders;

	PaymentListener(Orders orders) {
		this.orders = orders;
	}

	@KafkaListener(topics = "payments")
	@DistributedLock(name = "orders", key = "#payment.orderId", waitTime = "2s")
	public void onPayment(Payment payment) {
		this.orders.pay(payment);
	}

	/**
	 * Orders in a database.
	 */
	interface Orders {

		void pay(Payment payment);

	}

	/**
	 * A message.
	 *
	 * @param orderId the order
	 * @param cents what was paid
	 */
	record Payment(long orderId, long cents) {

	}

}
