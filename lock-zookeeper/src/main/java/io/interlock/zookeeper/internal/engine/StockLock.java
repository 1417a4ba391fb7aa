package io.interlock.zookeeper.internal.engine;

import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.zookeeper.Peers;
import io.interlock.zookeeper.internal.node.NodeName;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;

/**
 * A lock of Curator as it ships, of the kind that plain clients use on its path. For use
 * by one thread.
 *
 * @param mutex the lock
 * @param path its node while it is held
 */
record StockLock(InterProcessMutex mutex, Supplier<String> path) {

	private static final Pattern PLAIN_NAME = Pattern.compile("[A-Za-z0-9-]+");

	static StockLock of(Peers peers, LockMode mode, CuratorFramework client, String lockPath, byte[] data) {
		if (peers == Peers.MUTEX) {
			Mutex mutex = new Mutex(client, lockPath, data);
			return new StockLock(mutex, mutex::getLockPath);
		}
		InterProcessReadWriteLock locks = new InterProcessReadWriteLock(client, lockPath, data);
		return (mode == LockMode.SHARED) ? new StockLock(locks.readLock(), locks.readLock()::getLockPath)
				: new StockLock(locks.writeLock(), locks.writeLock()::getLockPath);
	}

	/**
	 * Return whether locks of a kind wait for a contender: not for those of the other.
	 */
	static boolean waitsFor(Peers peers, NodeName contender) {
		return ((peers == Peers.MUTEX) ? Set.of("lock-", "") : Set.of("__READ__", "__WRIT__"))
			.contains(contender.marker());
	}

	/**
	 * Refuse shared requests for locks of a kind that has no shared holders.
	 * @throws UnsupportedOperationException with the property to set
	 */
	static void check(LockRequest request, Peers peers) {
		if (request.mode() == LockMode.SHARED && peers == Peers.MUTEX) {
			throw new UnsupportedOperationException(
					("Lock %s was requested in mode SHARED, but interlock.zookeeper.recipe=curator uses "
							+ "InterProcessMutex for it, which has no shared holders. Set %s=read-write in every "
							+ "instance, or use an exclusive lock.")
						.formatted(request.id(), property(request.id())));
		}
	}

	private static String property(LockId id) {
		String name = PLAIN_NAME.matcher(id.name()).matches() ? id.name() : "[" + id.name() + "]";
		String store = (id.provider() != null) ? "providers." + id.provider() : "zookeeper";
		return "interlock.%s.locks.%s.peers".formatted(store, name);
	}

	/** A mutex that says where its node is, and whose node says who made it. */
	private static final class Mutex extends InterProcessMutex {

		private final byte[] data;

		Mutex(CuratorFramework client, String lockPath, byte[] data) {
			super(client, lockPath);
			this.data = data;
		}

		@Override
		protected byte[] getLockNodeBytes() {
			return this.data;
		}

		@Override
		protected String getLockPath() {
			return super.getLockPath();
		}

	}

}
