package io.interlock.sample.live;

import java.util.List;

/**
 * What the live page shows.
 *
 * @param answeredBy name of the instance that answers
 * @param controls whether visitors may break things
 * @param waitBounds upper bounds of the classes of waits, in milliseconds
 * @param instances all instances, by name
 * @param cluster the queues in ZooKeeper; empty also while nobody can read them
 */
record Board(String answeredBy, boolean controls, List<Integer> waitBounds, List<InstanceView> instances,
		List<ClusterLock> cluster) {

}
