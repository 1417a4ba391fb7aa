package io.interlock.curator;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.Callable;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.NoNodeException;
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

	private static final int CREATIONS_AT_ONCE = 20;

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

	/**
	 * Create something in a parent that may not be there, or may be deleted just before:
	 * then both are created again at once, for Curator would pause first.
	 * @param client whom to ask
	 * @param lockPath path of the lock
	 * @param creation what to do, which fails if there is no parent
	 * @return what was created
	 * @throws MissingChrootException if there cannot be a parent
	 * @throws Exception if it cannot be made
	 */
	static <T> T createIn(CuratorFramework client, String lockPath, Callable<T> creation) throws Exception {
		for (int tries = 1;; tries++) {
			try {
				return creation.call();
			}
			catch (NoNodeException ex) {
				if (tries == CREATIONS_AT_ONCE) {
					throw ex;
				}
				createParent(client, lockPath);
			}
		}
	}

	private static void createParent(CuratorFramework client, String lockPath) throws Exception {
		try {
			create(client, lockPath);
		}
		catch (NoNodeException ex) {
			if (client.checkExists().forPath("/") == null) {
				throw new MissingChrootException(ex);
			}
		}
	}

	static boolean isMarked(byte @Nullable [] data) {
		return Arrays.equals(data, MARK);
	}

}
