package io.interlock.faults.chaos;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.interlock.faults.chaos.Fault.Lane;
import io.interlock.faults.time.WallClock;
import io.interlock.faults.worker.WorkerProcess;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.redis.RedisServer;
import org.awaitility.Awaitility;

/**
 * Leases in Redis, which writes down what it confirms, with a replica that may not know
 * it yet. After a fail-over the replica is the server, and there is another replica.
 */
final class RedisLeases extends LeaseServer {

	private static final String FAILED_OVER = "FAILED_OVER";

	private volatile RedisServer server;

	private RedisServer replica;

	private TcpProxy replication;

	RedisLeases() {
		this.server = start();
		this.replica = start();
		this.replication = replicate(this.server, this.replica);
	}

	private RedisServer start() {
		Map<String, String> environment = new HashMap<>(environment());
		// Before the allocator of Redis, which asks for the time before the clock is
		// ready.
		environment.computeIfPresent(WallClock.PRELOADED, (key, library) -> library + " libc.so.6");
		return RedisServer.start(environment, "--appendonly", "yes", "--appendfsync", "always",
				"--repl-diskless-sync-delay", "0");
	}

	private static TcpProxy replicate(RedisServer server, RedisServer replica) {
		TcpProxy link = TcpProxy.to(server.port());
		replica.command("REPLICAOF", "127.0.0.1", Integer.toString(link.port()));
		return link;
	}

	@Override
	int port() {
		return this.server.port();
	}

	@Override
	String address(int port) {
		return "redis://127.0.0.1:" + port;
	}

	@Override
	void kill() {
		kill(this.server);
	}

	private static void kill(RedisServer server) {
		server.kill();
		WallClock.cleanUpAfter(server.pid());
	}

	@Override
	void restart() {
		this.server.restart();
	}

	@Override
	void pause() {
		this.server.pause();
	}

	@Override
	void resume() {
		this.server.resume();
	}

	@Override
	List<Fault> faults() {
		List<Fault> faults = super.faults();
		faults.add(new Fault(FAILED_OVER, Lane.SERVERS, 100, 1000, this::failOver));
		faults.add(new ForeignKeys((lock) -> this.server).fault());
		return faults;
	}

	/**
	 * Let the replica miss what the server confirms, the grant of a lock that is held for
	 * long among it, kill the server, and go on with the replica.
	 */
	private void failOver(Site site) throws InterruptedException {
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> this.replica.command("INFO", "replication")
				.stream()
				.anyMatch((line) -> line.strip().equals("master_link_status:up")));
		long before = System.nanoTime();
		site.during("server", this.replication::holdReplies, () -> {
			awaitHolder(site, before);
			promote(site);
		});
	}

	/**
	 * The holder, if there is one, hears of the fail-over a second later than the others:
	 * its packets vanish meanwhile, so that it does not doubt its lease.
	 */
	private void promote(Site site) {
		RedisServer old = this.server;
		List<TcpProxy> late = site.holder().map(WorkerProcess::links).orElse(List.of());
		late.forEach(TcpProxy::blackHole);
		long before = System.nanoTime();
		kill(old);
		long killed = System.nanoTime();
		this.server = this.replica;
		site.history().lapsed(FAILED_OVER, before, killed, time());
		this.server.command("REPLICAOF", "NO", "ONE");
		List<TcpProxy> links = site.workers().stream().flatMap((worker) -> worker.links().stream()).toList();
		links.stream().filter((link) -> !late.contains(link)).forEach(this::moveHere);
		this.replication.close();
		old.close();
		this.replica = start();
		this.replication = replicate(this.server, this.replica);
		letPass(Duration.ofSeconds(1));
		late.forEach(this::moveHere);
		late.forEach(TcpProxy::heal);
	}

	private void moveHere(TcpProxy link) {
		link.redirect(this.server.port());
		link.cut();
	}

	@Override
	long time() {
		return RedisContents.time(this.server);
	}

	@Override
	List<String> left() {
		return RedisContents.left(this.server);
	}

	@Override
	public void close() {
		this.replication.close();
		List.of(this.replica, this.server).forEach((server) -> {
			kill(server);
			server.close();
		});
		super.close();
	}

}
