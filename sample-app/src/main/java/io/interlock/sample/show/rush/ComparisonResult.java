package io.interlock.sample.show.rush;

/**
 * How it went when the same house was sold without a lock and with it.
 *
 * @param counters how many buyers were served at once on each side
 * @param withoutLock how it went without a lock
 * @param withLock how it went with the lock
 */
record ComparisonResult(int counters, RushResult withoutLock, RushResult withLock) {

}
