package io.interlock.sample.event;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.springframework.stereotype.Component;

/**
 * Lets something happen while a certain buyer pays, which is between the read and the
 * write of their sale. Safe for use by many threads.
 *
 * @since 0.1.0
 */
@Component
public class PaymentPauses {

	private final Map<String, Runnable> pauses = new ConcurrentHashMap<>();

	/**
	 * Sell a ticket, and let something happen during the payment.
	 * @param buyer who buys; no other sale of that moment has this buyer
	 * @param action what happens during the payment, on the thread that sells
	 * @param sale what sells the ticket
	 * @param <T> type of the result
	 * @return what the sale returns
	 */
	public <T> T during(String buyer, Runnable action, Supplier<T> sale) {
		this.pauses.put(buyer, action);
		try {
			return sale.get();
		}
		finally {
			this.pauses.remove(buyer);
		}
	}

	void pause(String buyer) {
		this.pauses.getOrDefault(buyer, () -> {
		}).run();
	}

}
