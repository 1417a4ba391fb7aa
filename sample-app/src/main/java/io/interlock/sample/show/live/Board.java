package io.interlock.sample.show.live;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What the live page shows.
 *
 * @param answeredBy name of the instance that answers
 * @param controls whether visitors may let the instances work
 * @param faults whether visitors may stall holders and take locks away, and end the
 * sessions of instances that have one
 * @param waitBounds upper bounds of the classes of waits, in milliseconds
 * @param instances all instances, by name
 * @param cluster the queues in the store; empty also while they cannot be read
 * @param joinCommand what starts a further instance, or {@code null} if none can share
 * the locks
 */
record Board(String answeredBy, boolean controls, boolean faults, List<Integer> waitBounds,
		List<InstanceView> instances, List<ClusterLock> cluster, @Nullable String joinCommand) {

}
