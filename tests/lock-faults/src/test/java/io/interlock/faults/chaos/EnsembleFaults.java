package io.interlock.faults.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.interlock.faults.chaos.Fault.Action;
import io.interlock.faults.chaos.Fault.Lane;
import io.interlock.faults.worker.WorkerProcess;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.server.Ensemble;
import io.interlock.testsupport.server.Server;

/**
 * Faults of an ensemble, of its clients and of the nodes of locks.
 */
final class EnsembleFaults {

	private final Ensemble ensemble;

	private final LockNodes nodes;

	EnsembleFaults(Ensemble ensemble, LockNodes nodes) {
		this.ensemble = ensemble;
		this.nodes = nodes;
	}

	List<Fault> all() {
		List<Fault> faults = new ArrayList<>(Fault.OF_CLIENTS);
		faults.addAll(List.of(servers("SERVER_KILLED", 300, 4000, (site) -> kill(site, anyServer(site))),
				servers("LEADER_KILLED", 300, 4000, (site) -> kill(site, leader(site))),
				servers("ALL_SERVERS_KILLED", 100, 3000, this::killAll),
				servers("SERVERS_RESTARTED", 100, 1500, this::restartInTurn),
				servers("ALL_SERVERS_STOPPED", 300, 5000, this::stopAll),
				servers("FOLLOWER_SLOW", 2000, 6000, (site) -> slow(site, follower(site), leader(site))),
				servers("LEADER_STOPPED", 500, 8000, (site) -> stop(site, leader(site))),
				servers("FOLLOWER_STOPPED", 500, 8000, (site) -> stop(site, follower(site))),
				servers("FOLLOWER_CUT_OFF", 2000, 9000, (site) -> cutOff(site, follower(site), leader(site))),
				servers("LEADER_CUT_OFF", 2000, 9000, (site) -> cutOffLeader(site, leader(site))),
				new Fault("CLIENT_MOVED", Lane.LINKS, 200, 1500, (site) -> site.move(site.worker())),
				new Fault("LISTENER_BLOCKED", Lane.LINKS, 1000, 6000, (site) -> site.blockListener(site.worker())),
				new Fault("SESSION_EXPIRED", Lane.WORKERS, 10, 100, (site) -> site.expire(site.worker())),
				new Fault("PARENT_DELETED", Lane.NODES, 200, 1500, this::deleteParents),
				new Fault("HOLDER_DELETED", Lane.NODES, 1, 10, this::deleteHolder)));
		return faults;
	}

	private static Fault servers(String kind, int minMillis, int maxMillis, Action action) {
		return new Fault(kind, Lane.SERVERS, minMillis, maxMillis, action);
	}

	private Server anyServer(Site site) {
		return site.pick(this.ensemble.servers());
	}

	private Server leader(Site site) {
		return this.ensemble.leader().orElseGet(() -> anyServer(site));
	}

	/**
	 * Pick a follower, often that on which the holder depends.
	 */
	private Server follower(Site site) {
		List<Server> followers = this.ensemble.servers().stream().filter((server) -> !server.isLeader()).toList();
		Server any = site.pick(followers);
		WorkerProcess holder = site.holderIfSought();
		return (holder == null) ? any
				: IntStream.range(0, holder.links().size())
					.filter((i) -> holder.links().get(i).isInUse())
					.mapToObj((i) -> this.ensemble.servers().get(i))
					.findFirst()
					.filter(followers::contains)
					.orElse(any);
	}

	private void kill(Site site, Server server) throws InterruptedException {
		site.during("server " + server.id(), server::kill, server::start);
	}

	private void killAll(Site site) throws InterruptedException {
		List<Server> servers = this.ensemble.servers();
		site.during("all servers", () -> servers.forEach(Server::kill), () -> servers.forEach(Server::start));
	}

	private void stop(Site site, Server server) throws InterruptedException {
		site.during("server " + server.id(), server::stop, server::resume);
	}

	private void stopAll(Site site) throws InterruptedException {
		List<Server> servers = this.ensemble.servers();
		site.during("all servers", () -> servers.forEach(Server::stop), () -> servers.forEach(Server::resume));
	}

	/**
	 * Restart one server after the other, each when the one before serves again.
	 */
	private void restartInTurn(Site site) throws InterruptedException {
		for (Server server : this.ensemble.servers()) {
			kill(site, server);
			this.ensemble.awaitLeader();
		}
	}

	/**
	 * Hold back what a follower and its leader say to each other, proposals and
	 * acknowledgements included, as a slow disk of either does.
	 */
	private void slow(Site site, Server follower, Server leader) throws InterruptedException {
		if (follower == leader) {
			return;
		}
		TcpProxy link = this.ensemble.link(follower, leader);
		Duration delay = Duration.ofMillis(50 + site.random(700));
		site.during("server " + follower.id(), () -> link.delay(delay), link::heal);
	}

	private void cutOff(Site site, Server follower, Server leader) throws InterruptedException {
		if (follower == leader) {
			return;
		}
		TcpProxy link = this.ensemble.link(follower, leader);
		site.during("server " + follower.id(), link::blackHole, link::heal);
	}

	private void cutOffLeader(Site site, Server leader) throws InterruptedException {
		List<TcpProxy> links = this.ensemble.servers()
			.stream()
			.filter((server) -> server != leader)
			.map((server) -> this.ensemble.link(server, leader))
			.toList();
		site.during("server " + leader.id(), () -> links.forEach(TcpProxy::blackHole),
				() -> links.forEach(TcpProxy::heal));
	}

	private void deleteParents(Site site) throws InterruptedException {
		long until = System.nanoTime() + site.duration().toNanos();
		site.during("parents", () -> this.nodes.deleteEmptyParents(until), () -> {
		});
	}

	private void deleteHolder(Site site) throws InterruptedException {
		site.during("a holder", () -> this.nodes.deleteHolder(site.random()), () -> {
		});
	}

}
