package io.interlock.zookeeper.internal.engine;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.zookeeper.KeeperException.Code;

/**
 * Parents of nodes that are known to exist, because a creation below a missing one fails
 * its whole transaction. Safe for use by many threads.
 */
final class KnownParents {

	private static final int MAX_PARENTS = 10_000;

	private final Set<String> parents = ConcurrentHashMap.newKeySet();

	boolean contains(String parent) {
		return this.parents.contains(parent);
	}

	/** Learn from the answer to a creation. */
	void learn(String parent, Code code) {
		if (code == Code.NONODE) {
			this.parents.remove(parent);
		}
		else if (code == Code.OK && this.parents.add(parent) && this.parents.size() > MAX_PARENTS) {
			this.parents.clear();
		}
	}

}
