package io.interlock.leader;

/**
 * This instance does not lead any more. Published once for each term, after the listeners
 * were told.
 *
 * @param name name of the election
 * @param token token of the term that has ended
 * @since 0.1.0
 */
public record LeadershipRevokedEvent(String name, long token) {

}
