package io.interlock.curator;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.NodeExistsException;
import org.jspecify.annotations.Nullable;

/**
 * The parent of the nodes of one lock: a container, which ZooKeeper deletes some time
 * after it has become empty. It carries a mark, because ZooKeeper does not tell its
 * clients a container from a node that somebody has made to stay, for its ACL or for
 * clients that cannot do without it.
 */
final class LockContainer {

	private static final byte[] MARK = "interlock".getBytes(StandardCharsets.US_ASCII);

	private LockContainer() {
	}

	/**
	 * Make the parent, unless somebody else was faster.
	 * @param client whom to ask
	 * @param lockPath path of the lock
	 * @throws Exception if it cannot be made
	 */
	static void create(CuratorFramework client, String lockPath) throws Exception {
		try {
			client.create().creatingParentContainersIfNeeded().withMode(CreateMode.CONTAINER).forPath(lockPath, MARK);
		}
		catch (NodeExistsException ex) {
			// What was wanted.
		}
	}

	static boolean isMarked(byte @Nullable [] data) {
		return Arrays.equals(data, MARK);
	}

}
