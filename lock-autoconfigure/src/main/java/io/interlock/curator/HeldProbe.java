package io.interlock.curator;

import java.util.List;
import java.util.function.Predicate;

import io.interlock.LockMode;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException.NoNodeException;

/**
 * Looks whether a lock is held before anything is written: an attempt that does not wait
 * and is refused costs one read, instead of a node that is made, listed and deleted, at
 * two writes of the whole ensemble.
 * <p>
 * It looks always. On a free lock it is one read too many; to leave it out there, one
 * would have to remember for each lock whether it was contended lately, and would be
 * wrong just when a lock becomes hot.
 * <p>
 * The read is answered by the server that the client is connected to, which may lag
 * behind the others: "held" may be a little late. "Free" decides nothing, the queue does.
 */
final class HeldProbe {

	private final CuratorFramework client;

	private final Predicate<String> understood;

	/**
	 * Create a probe.
	 * @param client whom to ask
	 * @param understood names of the nodes that the recipe waits for
	 */
	HeldProbe(CuratorFramework client, Predicate<String> understood) {
		this.client = client;
		this.understood = understood;
	}

	/**
	 * Return whether an attempt is known to be in vain.
	 * @param contest the attempt
	 * @return whether it does not wait and somebody holds the lock or queues for it in a
	 * mode that excludes its own
	 * @throws Exception if nobody can say
	 */
	boolean refuses(Contest contest) throws Exception {
		if (contest.waits()) {
			return false;
		}
		LockMode mode = contest.request().mode();
		List<String> names = children(contest.lockPath()).stream().filter(this.understood).toList();
		return Contender.parseAll(names).stream().anyMatch((contender) -> contender.excludes(mode));
	}

	private List<String> children(String lockPath) throws Exception {
		try {
			return this.client.getChildren().forPath(lockPath);
		}
		catch (NoNodeException ex) {
			return List.of();
		}
	}

}
