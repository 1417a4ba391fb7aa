package io.interlock.sample.event;

/**
 * A seat on a ticket.
 *
 * @param seat number of the seat
 * @param soldBy name of the instance that sold it
 */
record SoldSeat(int seat, String soldBy) {

}
