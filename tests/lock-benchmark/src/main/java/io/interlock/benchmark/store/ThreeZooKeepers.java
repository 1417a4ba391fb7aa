package io.interlock.benchmark.store;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

import io.interlock.testsupport.server.Ensemble;
import io.interlock.testsupport.server.Server;
import io.interlock.testsupport.server.ServerSettings;
import org.awaitility.Awaitility;

/**
 * An ensemble of three ZooKeeper servers. The leader is killed, another server takes
 * over, and the killed one is started again afterwards.
 *
 * @since 0.1.0
 */
public final class ThreeZooKeepers implements StoreServer {

	private final Ensemble ensemble;

	private final List<String> followersFirst;

	/**
	 * Start the servers, and wait until they have a leader.
	 * @param directory where their data go
	 */
	public ThreeZooKeepers(Path directory) {
		this.ensemble = Ensemble.start(directory, ServerSettings.usual().withHeap("256m").withSyncLimit(5));
		Server leader = this.ensemble.awaitLeader();
		this.followersFirst = this.ensemble.servers()
			.stream()
			.sorted(Comparator.comparing(leader::equals))
			.map(Server::connectString)
			.toList();
	}

	/**
	 * Return where each server is.
	 * @return addresses, that of the leader last
	 */
	public List<String> addresses() {
		return this.followersFirst;
	}

	@Override
	public String address() {
		return this.ensemble.connectString();
	}

	@Override
	public String address(int number) {
		return this.followersFirst.get((number - 1) % this.followersFirst.size());
	}

	@Override
	public void kill() {
		this.ensemble.awaitLeader().kill();
	}

	@Override
	public void recover() {
		Awaitility.await().atMost(Stores.PATIENCE).until(() -> this.ensemble.leader().isPresent());
		this.ensemble.servers().forEach(Server::start);
	}

	@Override
	public long requests() {
		return this.ensemble.servers().stream().mapToLong((server) -> server.monitored("zk_packets_received")).sum();
	}

	@Override
	public long entries() {
		return this.ensemble.awaitLeader().monitored("zk_znode_count");
	}

	@Override
	public String describe() {
		return "three ZooKeeper servers";
	}

	@Override
	public void close() {
		this.ensemble.close();
	}

}
