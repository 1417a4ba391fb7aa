package io.interlock.curator;

import java.time.Duration;
import java.util.Map;

import org.springframework.util.Assert;

/**
 * How {@link CuratorLockProvider} behaves.
 *
 * @param rootPath absolute path below which lock nodes are created
 * @param instanceId identifier of this instance, stored in lock nodes
 * @param maxContenders locks that this instance may wait for at once
 * @param releaseTimeout how long a release may keep its caller
 * @param verifyTimeout how long a verification may take
 * @param recipe which recipe contends
 * @param peers kind of plain Curator clients by lock name; {@link Peers#MUTEX} for names
 * that are not in it
 * @param whenUnavailable what to do while the connection is known to be down
 * @param details where this instance runs, stored in lock nodes
 * @since 0.1.0
 */
public record CuratorLockSettings(String rootPath, String instanceId, int maxContenders, Duration releaseTimeout,
		Duration verifyTimeout, Recipe recipe, Map<String, Peers> peers, WhenUnavailable whenUnavailable,
		InstanceDetails details) {

	public CuratorLockSettings {
		Assert.isTrue(rootPath.length() > 1 && rootPath.startsWith("/") && !rootPath.endsWith("/"),
				() -> "'rootPath' must be absolute, below the root and without a slash at its end: " + rootPath);
		peers = Map.copyOf(peers);
	}

	/**
	 * Create settings of an instance that tells nothing about where it runs.
	 * @param rootPath absolute path below which lock nodes are created
	 * @param instanceId identifier of this instance, stored in lock nodes
	 * @param maxContenders locks that this instance may wait for at once
	 * @param releaseTimeout how long a release may keep its caller
	 * @param verifyTimeout how long a verification may take
	 * @param recipe which recipe contends
	 * @param peers kind of plain Curator clients by lock name
	 * @param whenUnavailable what to do while the connection is known to be down
	 */
	public CuratorLockSettings(String rootPath, String instanceId, int maxContenders, Duration releaseTimeout,
			Duration verifyTimeout, Recipe recipe, Map<String, Peers> peers, WhenUnavailable whenUnavailable) {
		this(rootPath, instanceId, maxContenders, releaseTimeout, verifyTimeout, recipe, peers, whenUnavailable,
				InstanceDetails.NONE);
	}

	Peers peers(String name) {
		return this.peers.getOrDefault(name, Peers.MUTEX);
	}

}
