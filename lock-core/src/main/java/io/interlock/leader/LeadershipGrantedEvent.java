package io.interlock.leader;

/**
 * This instance leads from now on. Published once for each term, after the listeners were
 * told.
 *
 * @param name name of the election
 * @param token token of the term
 * @since 0.1.0
 */
public record LeadershipGrantedEvent(String name, long token) {

}
