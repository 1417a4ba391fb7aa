package io.interlock.sample.event;

import java.math.BigDecimal;

/**
 * An event, as the database has it at this moment.
 *
 * @param id identifier
 * @param title what is on
 * @param seats how many seats there are
 * @param seatsLeft how many of them are free, by the count that every sale reads and
 * writes
 * @param sold how many tickets there are
 * @param price price of the next ticket
 * @since 0.1.0
 */
public record Event(long id, String title, int seats, int seatsLeft, int sold, BigDecimal price) {

	int nextSeat() {
		return this.seats - this.seatsLeft + 1;
	}

}
