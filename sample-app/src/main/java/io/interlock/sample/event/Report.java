package io.interlock.sample.event;

import java.math.BigDecimal;

/**
 * What was sold for an event.
 *
 * @param title what is on
 * @param seats how many seats there are
 * @param seatsLeft how many are free by the count of the event
 * @param sold how many tickets there are
 * @param doubleBooked how many tickets are for a seat that was sold before
 * @param revenue what the tickets cost together
 * @param consistent whether count and tickets agree, and no seat was sold twice
 * @since 0.1.0
 */
public record Report(String title, int seats, int seatsLeft, int sold, int doubleBooked, BigDecimal revenue,
		boolean consistent) {

	static Report of(Event event, Takings takings) {
		int doubleBooked = takings.tickets() - takings.distinctSeats();
		boolean consistent = doubleBooked == 0 && event.seatsLeft() + takings.tickets() == event.seats();
		return new Report(event.title(), event.seats(), event.seatsLeft(), takings.tickets(), doubleBooked,
				takings.revenue(), consistent);
	}

}
