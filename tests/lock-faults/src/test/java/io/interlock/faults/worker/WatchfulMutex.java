package io.interlock.faults.worker;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.state.ConnectionState;

/**
 * A plain Curator mutex whose holder does all that Curator offers: it counts the lock as
 * lost once the connection was suspended, and looks whether its node is there.
 */
public final class WatchfulMutex extends InterProcessMutex {

	private volatile boolean suspended;

	private WatchfulMutex(CuratorFramework client, String path) {
		super(client, path);
		client.getConnectionStateListenable().addListener((framework, state) -> {
			if (state == ConnectionState.SUSPENDED) {
				this.suspended = true;
			}
		});
	}

	/**
	 * Acquire one.
	 * @param client client to use
	 * @param path path of the lock
	 * @return what is held
	 * @throws Exception if that fails
	 */
	public static Held acquire(CuratorFramework client, String path) throws Exception {
		WatchfulMutex mutex = new WatchfulMutex(client, path);
		mutex.acquire();
		String node = mutex.getLockPath();
		return new CuratorLocks.Hold(mutex) {

			@Override
			public boolean isValid() {
				return mutex.isHeld(client, node);
			}

		};
	}

	private boolean isHeld(CuratorFramework client, String node) {
		try {
			return !this.suspended && client.checkExists().forPath(node) != null && !this.suspended;
		}
		catch (Exception ex) {
			return false;
		}
	}

}
