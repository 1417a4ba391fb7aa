package io.interlock.zookeeper.internal.node;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.apache.zookeeper.KeeperException.NodeExistsException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The parent of the nodes of one lock: a container, which ZooKeeper deletes some time
 * after it has become empty. It carries a mark, because ZooKeeper does not tell its
 * clients a container from a node that was made to stay, for its ACL or for clients that
 * cannot do without it.
 *
 * @param kept whether it is made to stay, without a mark
 * @since 0.1.0
 */
public record LockParent(String path, boolean kept) {

	private static final byte[] MARK = "interlock".getBytes(StandardCharsets.US_ASCII);

	public CreateMode mode() {
		return this.kept ? CreateMode.PERSISTENT : CreateMode.CONTAINER;
	}

	public byte[] data() {
		return this.kept ? new byte[0] : MARK;
	}

	/**
	 * Make the parent and what is missing above it, unless another client was faster.
	 * @throws MissingChrootException if there cannot be a parent
	 */
	public void create(CuratorFramework client) throws Exception {
		try {
			client.create().creatingParentContainersIfNeeded().withMode(mode()).forPath(this.path, data());
		}
		catch (NodeExistsException ex) {
			// What was wanted.
		}
		catch (NoNodeException ex) {
			if (client.checkExists().forPath("/") == null) {
				throw new MissingChrootException(ex);
			}
			throw ex;
		}
	}

	public static boolean mayBeMarked(Stat stat) {
		return stat.getDataLength() == MARK.length;
	}

	public static boolean isMarked(byte @Nullable [] data) {
		return Arrays.equals(data, MARK);
	}

	/** The path that the connect string ends with does not exist on the servers. */
	public static final class MissingChrootException extends Exception {

		MissingChrootException(Throwable cause) {
			super("the chroot of the connect string does not exist", cause);
		}

	}

}
