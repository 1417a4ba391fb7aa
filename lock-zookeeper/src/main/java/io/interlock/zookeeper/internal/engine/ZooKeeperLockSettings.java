package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.Map;
import java.util.Set;

import io.interlock.LockId;
import io.interlock.zookeeper.Peers;
import io.interlock.zookeeper.Recipe;
import io.interlock.zookeeper.internal.node.LockParent;
import io.interlock.zookeeper.internal.node.LockPaths;
import io.interlock.zookeeper.internal.node.OwnerRecord;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * How {@link ZooKeeperLockProvider} behaves.
 *
 * @param rootPath absolute path below which lock nodes are created
 * @param instanceId identifier of this instance, stored in lock nodes
 * @param peers kind of plain Curator clients by lock name; {@link Peers#MUTEX} for names
 * that are not in it
 * @param keptParents names of locks whose parent nodes are made to stay
 * @param failFast whether to fail at once while the connection is known to be down
 * @param details where this instance runs, stored in lock nodes
 * @param lockData what is stored in lock nodes
 * @param writesUnderWay how many writes of a session may be under way before further ones
 * wait and travel together; {@code null} if that follows its round trips
 * @since 0.1.0
 */
public record ZooKeeperLockSettings(String rootPath, String instanceId, Duration verifyTimeout, Recipe recipe,
		Map<String, Peers> peers, Set<String> keptParents, boolean failFast, OwnerRecord.Details details,
		OwnerRecord.LockData lockData, @Nullable Integer writesUnderWay) {

	public ZooKeeperLockSettings {
		Assert.isTrue(rootPath.length() > 1 && rootPath.startsWith("/") && !rootPath.endsWith("/"),
				() -> "'rootPath' must be absolute, below the root and without a slash at its end: " + rootPath);
		peers = Map.copyOf(peers);
		keptParents = Set.copyOf(keptParents);
	}

	/** Settings with as many writes under way as the round trips of a session ask for. */
	public ZooKeeperLockSettings(String rootPath, String instanceId, Duration verifyTimeout, Recipe recipe,
			Map<String, Peers> peers, Set<String> keptParents, boolean failFast, OwnerRecord.Details details,
			OwnerRecord.LockData lockData) {
		this(rootPath, instanceId, verifyTimeout, recipe, peers, keptParents, failFast, details, lockData, null);
	}

	/** Settings that tell nothing of this instance, and keep no parents. */
	public ZooKeeperLockSettings(String rootPath, String instanceId, Duration verifyTimeout, Recipe recipe,
			Map<String, Peers> peers, boolean failFast) {
		this(rootPath, instanceId, verifyTimeout, recipe, peers, Set.of(), failFast, OwnerRecord.Details.NONE,
				OwnerRecord.LockData.FULL);
	}

	/**
	 * Return the same settings with another number of writes under way.
	 */
	public ZooKeeperLockSettings withWritesUnderWay(int writes) {
		return new ZooKeeperLockSettings(this.rootPath, this.instanceId, this.verifyTimeout, this.recipe, this.peers,
				this.keptParents, this.failFast, this.details, this.lockData, writes);
	}

	WriteWindow writeWindow() {
		return (this.writesUnderWay != null) ? WriteWindow.fixed(this.writesUnderWay)
				: WriteWindow.measured(System::nanoTime);
	}

	LockParent parent(LockPaths paths, LockId id) {
		return new LockParent(paths.pathOf(id), this.keptParents.contains(id.name()), paths.arePlain());
	}

	Peers peers(String name) {
		return this.peers.getOrDefault(name, Peers.MUTEX);
	}

}
