package io.interlock.sample.event;

import java.util.Objects;

import io.interlock.sample.instance.ThisInstance;

import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionOperations;

/**
 * A sale that keeps no transaction open while its buyer pays: it reads, and writes in a
 * transaction after the payment. It needs a lock of its caller, and what it has read is
 * old if that lock is lost.
 *
 * @since 0.1.0
 */
@Component
public class TwoStepSale {

	private final Events events;

	private final PaymentService payments;

	private final ThisInstance instance;

	private final TransactionOperations transactions;

	TwoStepSale(Events events, PaymentService payments, ThisInstance instance, TransactionOperations transactions) {
		this.events = events;
		this.payments = payments;
		this.instance = instance;
		this.transactions = transactions;
	}

	/**
	 * Sell the next free seat.
	 * @param eventId the event
	 * @param buyer who buys
	 * @return the ticket
	 * @throws EventNotFoundException if there is no such event
	 * @throws SoldOutException if no seat is free
	 */
	public Ticket sell(long eventId, String buyer) {
		Event event = this.events.get(eventId);
		if (event.seatsLeft() < 1) {
			throw new SoldOutException(event);
		}
		this.payments.pay(buyer, event.price());
		Ticket ticket = new Ticket(eventId, event.nextSeat(), buyer, event.price(), this.instance.name());
		return Objects.requireNonNull(this.transactions.execute((status) -> {
			this.events.add(ticket);
			this.events.updateSeatsLeft(eventId, event.seatsLeft() - 1);
			return ticket;
		}));
	}

}
