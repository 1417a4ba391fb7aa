package io.interlock.zookeeper.internal.node;

import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.apache.zookeeper.KeeperException.NodeExistsException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ReflectionUtils;

/**
 * The parent of the nodes of one lock: a container, which ZooKeeper deletes some time
 * after it has become empty. It carries a mark, because ZooKeeper does not tell its
 * clients a container from a node that was made to stay, for its ACL or for clients that
 * cannot do without it.
 *
 * @param kept whether it is made to stay, without a mark
 * @param plain whether it is no container, where servers or the client refuse them
 * @since 0.1.0
 */
public record LockParent(String path, boolean kept, boolean plain) {

	private static final byte[] MARK = "interlock".getBytes(StandardCharsets.US_ASCII);

	/** No interface of Curator tells of {@code dontUseContainerParents()}. */
	public static boolean isPlainWith(CuratorFramework client) {
		Method method = ReflectionUtils.findMethod(client.getClass(), "useContainerParentsIfAvailable");
		if (method == null) {
			return false;
		}
		ReflectionUtils.makeAccessible(method);
		return Boolean.FALSE.equals(ReflectionUtils.invokeMethod(method, client));
	}

	public CreateMode mode() {
		return (this.kept || this.plain) ? CreateMode.PERSISTENT : CreateMode.CONTAINER;
	}

	public byte[] data() {
		return this.kept ? new byte[0] : MARK;
	}

	/** Make the parent and what is missing above it, unless another client was faster. */
	public void create(CuratorFramework client) throws Exception {
		try {
			(this.plain ? client.create().creatingParentsIfNeeded()
					: client.create().creatingParentContainersIfNeeded())
				.withMode(mode())
				.forPath(this.path, data());
		}
		catch (NodeExistsException ex) {
			// The parent exists, whichever client made it.
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
