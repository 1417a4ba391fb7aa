package io.interlock.curator;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.jspecify.annotations.Nullable;

/**
 * Curator's mutex behind {@link GuardedLockDriver}, unless the lock is free at the first
 * look. It is one object for one attempt: shared ones wake every waiter at each release
 * (CURATOR-716), and cached ones believe in holds that are lost.
 */
final class GuardedRecipe implements LockRecipe {

	private final CuratorFramework client;

	private final LeaseKeeper keeper;

	private final HeldProbe probe;

	GuardedRecipe(CuratorFramework client, LeaseKeeper keeper) {
		this.client = client;
		this.keeper = keeper;
		this.probe = new HeldProbe(client, (name) -> true);
	}

	@Override
	public @Nullable CuratorLockHandle contend(Contest contest) throws Exception {
		if (this.probe.refuses(contest)) {
			return null;
		}
		GuardedLockDriver driver = new GuardedLockDriver(contest, this.keeper);
		try {
			if (!driver.enter(this.client)) {
				new InterProcessMutex(this.client, contest.lockPath(), driver).acquire();
			}
			return driver.granted();
		}
		catch (HeldByOthersException ex) {
			return null;
		}
		finally {
			driver.leave();
		}
	}

}
