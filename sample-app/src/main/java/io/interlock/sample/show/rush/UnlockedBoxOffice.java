package io.interlock.sample.show.rush;

import java.util.Objects;

import io.interlock.sample.event.BoxOffice;
import io.interlock.sample.event.EventNotFoundException;
import io.interlock.sample.event.SoldOutException;
import io.interlock.sample.event.Ticket;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionOperations;

/**
 * The box office without its lock, to show what the lock is for: the same method of the
 * same object, in a transaction, but called past the proxy that acquires the lock.
 */
@Component
class UnlockedBoxOffice {

	private final BoxOffice target;

	private final TransactionOperations transactions;

	UnlockedBoxOffice(BoxOffice boxOffice, TransactionOperations transactions) {
		this.target = (BoxOffice) Objects.requireNonNull(AopProxyUtils.getSingletonTarget(boxOffice),
				"The box office has no proxy");
		this.transactions = transactions;
	}

	/**
	 * Sell the next free seat, as {@link BoxOffice#sell} does, without the lock.
	 * @param eventId the event
	 * @param buyer who buys
	 * @return the ticket
	 * @throws EventNotFoundException if there is no such event
	 * @throws SoldOutException if no seat is free
	 */
	Ticket sell(long eventId, String buyer) {
		return Objects.requireNonNull(this.transactions.execute((status) -> this.target.sell(eventId, buyer)));
	}

}
