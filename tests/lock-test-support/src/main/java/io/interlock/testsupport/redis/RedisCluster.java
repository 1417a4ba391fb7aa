package io.interlock.testsupport.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.interlock.testsupport.proxy.Ports;
import org.awaitility.Awaitility;

/**
 * A Redis cluster of some masters without replicas. A master that is away takes its own
 * slots with it and no others: full coverage is not required.
 *
 * @since 0.1.0
 */
public final class RedisCluster implements AutoCloseable {

	private static final int SLOTS = 16384;

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private final List<RedisServer> masters = new ArrayList<>();

	private final List<RedisServer> replicas = new ArrayList<>();

	private final List<String> options;

	private RedisCluster(List<String> options) {
		this.options = options;
	}

	/**
	 * Start a cluster, or skip the test where Redis is not installed.
	 * @param masters number of masters; each has as many slots as the others
	 * @param options further options of each master, such as {@code --appendonly yes}
	 * @return the cluster, whose masters know each other
	 */
	public static RedisCluster start(int masters, String... options) {
		RedisCluster cluster = new RedisCluster(List.of(options));
		for (int i = 0; i < masters; i++) {
			cluster.add(SLOTS * i / masters, SLOTS * (i + 1) / masters - 1);
		}
		Awaitility.await().atMost(TIMEOUT).until(() -> cluster.masters.stream().allMatch(cluster::isComplete));
		return cluster;
	}

	private void add(int firstSlot, int lastSlot) {
		int bus = Ports.free();
		RedisServer master = start(bus);
		master.command("CLUSTER", "ADDSLOTSRANGE", Integer.toString(firstSlot), Integer.toString(lastSlot));
		this.masters.forEach((known) -> meet(known, master, bus));
		this.masters.add(master);
	}

	private RedisServer start(int bus) {
		List<String> options = new ArrayList<>(List.of("--cluster-enabled", "yes", "--cluster-port",
				Integer.toString(bus), "--cluster-require-full-coverage", "no"));
		options.addAll(this.options);
		return RedisServer.start(options.toArray(String[]::new));
	}

	private static void meet(RedisServer known, RedisServer server, int bus) {
		known.command("CLUSTER", "MEET", "127.0.0.1", Integer.toString(server.port()), Integer.toString(bus));
	}

	private boolean isComplete(RedisServer master) {
		return master.command("CLUSTER", "INFO")
			.containsAll(List.of("cluster_state:ok", "cluster_slots_assigned:" + SLOTS,
					"cluster_known_nodes:" + this.masters.size()));
	}

	/**
	 * Start a replica of a master, which takes its place when it is away.
	 * @param master the master
	 * @return the replica, which has what the master has
	 */
	public RedisServer addReplica(RedisServer master) {
		int bus = Ports.free();
		RedisServer replica = start(bus);
		String id = master.command("CLUSTER", "MYID").get(0);
		meet(master, replica, bus);
		Awaitility.await()
			.atMost(TIMEOUT)
			.until(() -> replica.command("CLUSTER", "REPLICATE", id).equals(List.of("OK")));
		Awaitility.await()
			.atMost(TIMEOUT)
			.until(() -> replica.command("INFO", "replication").contains("master_link_status:up"));
		Awaitility.await()
			.atMost(TIMEOUT)
			.until(() -> this.masters.stream()
				.allMatch((each) -> each.command("CLUSTER", "REPLICAS", id).toString().contains(":" + replica.port())));
		this.replicas.add(replica);
		return replica;
	}

	/**
	 * {@return the masters}
	 */
	public List<RedisServer> masters() {
		return List.copyOf(this.masters);
	}

	/**
	 * {@return the masters and the replicas}
	 */
	public List<RedisServer> servers() {
		return Stream.concat(this.masters.stream(), this.replicas.stream()).toList();
	}

	/**
	 * {@return the addresses of the masters}
	 */
	public List<String> addresses() {
		return this.masters.stream().map((master) -> "127.0.0.1:" + master.port()).toList();
	}

	/**
	 * Return the master of a slot.
	 * @param slot the number of the slot
	 * @return its master
	 */
	public RedisServer masterOf(int slot) {
		return IntStream.range(0, this.masters.size())
			.filter((i) -> slot < SLOTS * (i + 1) / this.masters.size())
			.mapToObj(this.masters::get)
			.findFirst()
			.orElseThrow();
	}

	@Override
	public void close() {
		this.masters.forEach(RedisServer::close);
		this.replicas.forEach(RedisServer::close);
	}

}
