package io.interlock.sample.event;

import java.math.BigDecimal;

import io.interlock.annotation.DistributedLock;
import io.interlock.annotation.ReadLock;
import io.interlock.annotation.WriteLock;
import io.interlock.sample.instance.ThisInstance;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Sells seats. All methods use one lock, {@code seats}, narrowed to the event: sales and
 * price changes of one event exclude each other on all instances, reports share the lock
 * with reports, and different events do not wait for each other.
 * <p>
 * The lock is outside the transaction: the next buyer reads what the last one committed.
 * When the lock is lost before the commit, the transaction is rolled back; and an event
 * refuses a write that comes later than one with a newer lock.
 *
 * @since 0.1.0
 */
@Service
public class BoxOffice {

	private final Events events;

	private final PaymentService payments;

	private final ThisInstance instance;

	BoxOffice(Events events, PaymentService payments, ThisInstance instance) {
		this.events = events;
		this.payments = payments;
		this.instance = instance;
	}

	/**
	 * Sell the next free seat. All other buyers of the event wait for the payment, so one
	 * that hangs is reported.
	 * @param eventId the event
	 * @param buyer who buys
	 * @return the ticket
	 * @throws EventNotFoundException if there is no such event
	 * @throws SoldOutException if no seat is free
	 */
	@DistributedLock(name = "seats", key = "#eventId", maxHold = "30s")
	@Transactional
	public Ticket sell(long eventId, String buyer) {
		Event event = this.events.get(eventId);
		if (event.seatsLeft() < 1) {
			throw new SoldOutException(event);
		}
		this.payments.pay(buyer, event.price());
		Ticket ticket = new Ticket(eventId, event.nextSeat(), buyer, event.price(), this.instance.name());
		this.events.add(ticket);
		this.events.updateSeatsLeft(eventId, event.seatsLeft() - 1);
		return ticket;
	}

	/**
	 * Report what was sold. The event and its tickets are read one after the other; no
	 * sale comes between.
	 * @param eventId the event
	 * @return the report
	 * @throws EventNotFoundException if there is no such event
	 */
	@ReadLock(name = "seats", key = "#eventId")
	@Transactional(readOnly = true)
	public Report report(long eventId) {
		return Report.of(this.events.get(eventId), this.events.takings(eventId));
	}

	/**
	 * Change the price of the tickets that are sold from now on. No buyer who is paying
	 * right now gets another price than the one they saw.
	 * @param eventId the event
	 * @param price the new price
	 * @return the event with its new price
	 * @throws EventNotFoundException if there is no such event
	 */
	@WriteLock(name = "seats", key = "#eventId")
	@Transactional
	public Event changePrice(long eventId, BigDecimal price) {
		Event event = this.events.get(eventId);
		this.events.updatePrice(event.id(), price);
		return this.events.get(event.id());
	}

	/**
	 * Take all tickets back, for a new demonstration.
	 * @param eventId the event
	 * @throws EventNotFoundException if there is no such event
	 */
	@WriteLock(name = "seats", key = "#eventId")
	@Transactional
	public void reset(long eventId) {
		Event event = this.events.get(eventId);
		this.events.removeTickets(eventId);
		this.events.updateSeatsLeft(eventId, event.seats());
	}

}
