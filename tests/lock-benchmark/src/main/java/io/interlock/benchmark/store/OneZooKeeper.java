package io.interlock.benchmark.store;

import java.nio.file.Path;

import io.interlock.testsupport.server.Server;
import io.interlock.testsupport.server.ServerSettings;
import org.awaitility.Awaitility;

/**
 * One ZooKeeper server, each write of which is forced to disk.
 */
final class OneZooKeeper implements StoreServer {

	private final Server server;

	OneZooKeeper(Path directory) {
		this(Server.standalone(directory.resolve("zookeeper"), ServerSettings.usual().withHeap("256m")));
	}

	OneZooKeeper(Server server) {
		this.server = server;
	}

	@Override
	public String address() {
		return this.server.connectString();
	}

	@Override
	public void kill() {
		this.server.kill();
	}

	@Override
	public void recover() {
		this.server.start();
		Awaitility.await().atMost(Stores.PATIENCE).until(this.server::serves);
	}

	@Override
	public long requests() {
		return this.server.monitored("zk_packets_received");
	}

	@Override
	public long entries() {
		return this.server.monitored("zk_znode_count");
	}

	@Override
	public String describe() {
		return "one ZooKeeper server";
	}

	@Override
	public void close() {
		this.server.close();
	}

}
