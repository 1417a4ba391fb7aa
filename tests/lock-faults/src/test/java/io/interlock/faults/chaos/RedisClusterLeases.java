package io.interlock.faults.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.interlock.faults.chaos.Fault.Action;
import io.interlock.faults.chaos.Fault.Lane;
import io.interlock.testsupport.redis.RedisCluster;
import io.interlock.testsupport.redis.RedisServer;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Leases in a cluster of three Redis masters, which write down what they confirm. One
 * that is away takes its own locks with it, and no others.
 */
final class RedisClusterLeases extends LeaseServers {

	private final RedisCluster cluster = RedisCluster.start(3, "--appendonly", "yes", "--appendfsync", "always");

	@Override
	List<Integer> ports() {
		return this.cluster.masters().stream().map(RedisServer::port).toList();
	}

	/** The masters tell clients their own ports, so the address has those too. */
	@Override
	String address(List<Integer> ports) {
		return ports.stream()
			.map((port) -> "127.0.0.1:" + port)
			.collect(Collectors.joining(",", "redis-cluster://",
					"/" + ports().stream().map(String::valueOf).collect(Collectors.joining(","))));
	}

	@Override
	long time() {
		return this.cluster.masters().stream().mapToLong(RedisContents::time).max().orElseThrow();
	}

	@Override
	List<String> left() {
		List<String> left = new ArrayList<>();
		this.cluster.masters().forEach((master) -> left.addAll(RedisContents.left(master)));
		return left;
	}

	@Override
	List<Fault> faults() {
		List<Fault> faults = super.faults();
		faults
			.add(new Fault("MASTER_KILLED", Lane.SERVERS, 50, 7000, onMaster(RedisServer::kill, RedisServer::restart)));
		faults.add(new Fault("MASTER_STOPPED", Lane.SERVERS, 300, 8000,
				onMaster(RedisServer::pause, RedisServer::resume)));
		faults.add(new ForeignKeys(this::masterOf).fault());
		return faults;
	}

	private Action onMaster(Consumer<RedisServer> breakIt, Consumer<RedisServer> mendIt) {
		return (site) -> {
			RedisServer master = site.pick(this.cluster.masters());
			site.during(name(master), () -> breakIt.accept(master), () -> mendIt.accept(master));
		};
	}

	private RedisServer masterOf(String lock) {
		return this.cluster.masterOf(ClusterSlotHashUtil.calculateSlot(RedisContents.keyOf(lock)));
	}

	private static String name(RedisServer master) {
		return "master at " + master.port();
	}

	@Override
	boolean endLeasesEarly() {
		return false;
	}

	@Override
	boolean isAt(String target, String key) {
		return target.equals(name(masterOf(key)));
	}

	@Override
	public void close() {
		this.cluster.close();
	}

}
