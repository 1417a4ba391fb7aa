package io.interlock.faults.check;

/**
 * A fault, from its beginning to its end.
 *
 * @param kind what kind
 * @param target what failed
 * @param begin when it began
 * @param end when it was over
 */
public record ObservedFault(String kind, String target, long begin, long end) {

}
