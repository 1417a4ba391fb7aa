package io.interlock.sample.event;

import java.math.BigDecimal;

/**
 * The tickets of an event, added up.
 *
 * @param tickets how many there are
 * @param distinctSeats how many seats they are for
 * @param revenue what they cost together
 */
record Takings(int tickets, int distinctSeats, BigDecimal revenue) {

}
