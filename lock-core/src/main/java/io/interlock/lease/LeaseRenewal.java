package io.interlock.lease;

import java.util.Set;

/**
 * What a store answers to a request to extend leases. A contender in neither set holds
 * nothing any more. Immutable.
 *
 * @param renewed the contenders whose leases were extended
 * @param passedOver those whose leases still run, and could not be extended now without
 * letting the others wait; they are asked for again soon
 * @since 0.1.0
 */
public record LeaseRenewal(Set<LeaseContender> renewed, Set<LeaseContender> passedOver) {

	public LeaseRenewal {
		renewed = Set.copyOf(renewed);
		passedOver = Set.copyOf(passedOver);
	}

	/**
	 * Return the answer of a store that passes over nothing.
	 * @param renewed the contenders whose leases were extended
	 * @return the answer
	 */
	public static LeaseRenewal of(Set<LeaseContender> renewed) {
		return new LeaseRenewal(renewed, Set.of());
	}

}
