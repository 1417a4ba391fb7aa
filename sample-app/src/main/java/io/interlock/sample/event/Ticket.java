package io.interlock.sample.event;

import java.math.BigDecimal;

/**
 * A sold seat.
 *
 * @param eventId the event
 * @param seat number of the seat, from one
 * @param buyer who bought it
 * @param price what it cost
 * @param soldBy name of the instance that sold it
 * @since 0.1.0
 */
public record Ticket(long eventId, int seat, String buyer, BigDecimal price, String soldBy) {

}
