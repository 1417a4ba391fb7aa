package io.interlock.sample.rush;

/**
 * What the buyers of one instance got.
 *
 * @param instance name of the instance
 * @param locking whether it takes locks
 * @param buyers how many buyers it had
 * @param sold how many of them have a ticket
 * @param soldOut how many came too late
 * @param busy how many did not get their turn in time
 * @param failed how many met another failure
 */
record Share(String instance, boolean locking, int buyers, int sold, int soldOut, int busy, int failed) {

}
