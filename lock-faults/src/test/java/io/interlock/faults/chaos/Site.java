package io.interlock.faults.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import io.interlock.faults.check.Coverage;
import io.interlock.faults.check.History;
import io.interlock.faults.check.ObservedFault;
import io.interlock.faults.time.Lapse;
import io.interlock.faults.worker.Fleet;
import io.interlock.faults.worker.WorkerProcess;
import io.interlock.faults.worker.Workload;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.server.Ensemble;
import io.interlock.testsupport.server.Server;

/**
 * Where one fault happens: what it may break, and for how long. Chooses from the random
 * numbers of its lane.
 */
final class Site {

	private static final Duration PROBE_TIMEOUT = Duration.ofMillis(300);

	private final FaultKind kind;

	private final Random random;

	private final long millis;

	private final Ensemble ensemble;

	private final List<WorkerProcess> workers;

	private final LockNodes nodes;

	private final History history;

	private final boolean alwaysAtHolder;

	Site(FaultKind kind, Random random, Ensemble ensemble, List<WorkerProcess> workers, LockNodes nodes,
			History history, boolean alwaysAtHolder) {
		this.kind = kind;
		this.random = random;
		this.millis = kind.minMillis() + random.nextInt(kind.maxMillis() - kind.minMillis());
		this.ensemble = ensemble;
		this.workers = workers;
		this.nodes = nodes;
		this.history = history;
		this.alwaysAtHolder = alwaysAtHolder;
	}

	Server anyServer() {
		return pick(this.ensemble.servers());
	}

	Server leader() {
		return this.ensemble.leader().orElseGet(this::anyServer);
	}

	/**
	 * Pick a follower, often that on which the holder depends.
	 */
	Server follower() {
		List<Server> followers = this.ensemble.servers().stream().filter((server) -> !server.isLeader()).toList();
		Server any = pick(followers);
		return seeksHolder() ? holder().flatMap(this::serverOf).filter(followers::contains).orElse(any) : any;
	}

	private Optional<Server> serverOf(WorkerProcess worker) {
		return IntStream.range(0, worker.links().size())
			.filter((i) -> worker.links().get(i).isInUse())
			.mapToObj((i) -> this.ensemble.servers().get(i))
			.findFirst();
	}

	/**
	 * Pick a worker, often the holder: chance alone seldom meets it.
	 */
	WorkerProcess worker() {
		WorkerProcess any = pick(this.workers);
		return seeksHolder() ? holder().orElse(any) : any;
	}

	private boolean seeksHolder() {
		return this.random.nextBoolean() || this.alwaysAtHolder;
	}

	private Optional<WorkerProcess> holder() {
		return this.history.holderOf(Workload.LONG_KEY)
			.flatMap((name) -> this.workers.stream().filter((worker) -> worker.toString().equals(name)).findFirst());
	}

	WorkerProcess worker(Predicate<Fleet> fleet) {
		return pick(this.workers.stream().filter((worker) -> fleet.test(worker.fleet())).toList());
	}

	private <T> T pick(List<T> choices) {
		return choices.get(this.random.nextInt(choices.size()));
	}

	void kill(Server server) throws InterruptedException {
		during("server " + server.id(), server::kill, server::start);
	}

	void killAll() throws InterruptedException {
		List<Server> servers = this.ensemble.servers();
		during("all servers", () -> servers.forEach(Server::kill), () -> servers.forEach(Server::start));
	}

	void stop(Server server) throws InterruptedException {
		during("server " + server.id(), server::stop, server::resume);
	}

	void stopAllServers() throws InterruptedException {
		List<Server> servers = this.ensemble.servers();
		during("all servers", () -> servers.forEach(Server::stop), () -> servers.forEach(Server::resume));
	}

	/**
	 * Restart one server after the other, each when the one before serves again.
	 */
	void restartInTurn() throws InterruptedException {
		for (Server server : this.ensemble.servers()) {
			kill(server);
			this.ensemble.awaitLeader();
		}
	}

	/**
	 * Hold back what a follower and its leader say to each other, proposals and
	 * acknowledgements included, as a slow disk of either does.
	 */
	void slow(Server follower, Server leader) throws InterruptedException {
		if (follower == leader) {
			return;
		}
		TcpProxy link = this.ensemble.link(follower, leader);
		Duration delay = Duration.ofMillis(50 + this.random.nextInt(700));
		during("server " + follower.id(), () -> link.delay(delay), link::heal);
	}

	void cutOff(Server follower, Server leader) throws InterruptedException {
		if (follower == leader) {
			return;
		}
		TcpProxy link = this.ensemble.link(follower, leader);
		during("server " + follower.id(), link::blackHole, link::heal);
	}

	void cutOffLeader(Server leader) throws InterruptedException {
		List<TcpProxy> links = this.ensemble.servers()
			.stream()
			.filter((server) -> server != leader)
			.map((server) -> this.ensemble.link(server, leader))
			.toList();
		during("server " + leader.id(), () -> links.forEach(TcpProxy::blackHole), () -> links.forEach(TcpProxy::heal));
	}

	void onLinks(WorkerProcess worker, Consumer<TcpProxy> fault) throws InterruptedException {
		during(worker.toString(), () -> worker.links().forEach(fault), () -> worker.links().forEach(TcpProxy::heal));
	}

	void move(WorkerProcess worker) throws InterruptedException {
		TcpProxy stays = pick(worker.links());
		during(worker.toString(),
				() -> worker.links().stream().filter((link) -> link != stays).forEach(TcpProxy::refuse),
				() -> worker.links().forEach(TcpProxy::heal));
	}

	void slow(WorkerProcess worker) throws InterruptedException {
		Duration delay = Duration.ofMillis(20 + this.random.nextInt(200));
		onLinks(worker, (link) -> link.delay(delay));
	}

	void blockListener(WorkerProcess worker) throws InterruptedException {
		worker.tell("block " + this.millis, PROBE_TIMEOUT);
		onLinks(worker, TcpProxy::refuse);
	}

	void stop(WorkerProcess worker) throws InterruptedException {
		during(worker.toString(), worker::stop, worker::resume);
	}

	void stopAllWorkers() throws InterruptedException {
		during("all workers", () -> {
			this.history.workersStopped(true);
			this.workers.forEach(WorkerProcess::stop);
		}, () -> {
			this.workers.forEach(WorkerProcess::resume);
			this.history.workersStopped(false);
		});
	}

	void kill(WorkerProcess worker) throws InterruptedException {
		during(worker.toString(), worker::kill, worker::restart);
	}

	void expire(WorkerProcess worker) throws InterruptedException {
		this.history.expired(worker.toString(), System.nanoTime());
		tell(worker, "expire");
	}

	void tell(WorkerProcess worker, String command) throws InterruptedException {
		during(worker.toString(), () -> worker.tell(command, Duration.ofSeconds(3)), () -> {
		});
	}

	void deleteParents() throws InterruptedException {
		long until = System.nanoTime() + Duration.ofMillis(this.millis).toNanos();
		during("parents", () -> this.nodes.deleteEmptyParents(until), () -> {
		});
	}

	void deleteHolder() throws InterruptedException {
		during("a holder", () -> this.nodes.deleteHolder(this.random), () -> {
		});
	}

	private void during(String target, Runnable breakIt, Runnable mendIt) throws InterruptedException {
		long begin = System.nanoTime();
		breakIt.run();
		try {
			Lapse.of(Duration.ofMillis(Math.min(30, this.millis)));
			probe();
			Lapse.of(Duration.ofMillis(this.millis));
		}
		finally {
			mendIt.run();
			this.history.add(new ObservedFault(this.kind.name(), target, begin, System.nanoTime()));
		}
	}

	private void probe() {
		for (WorkerProcess worker : this.workers) {
			String[] answer = worker.tell("probe", PROBE_TIMEOUT).split(" ");
			if (answer.length == 2) {
				this.history.count(Coverage.CREATE_IN_FLIGHT, Long.parseLong(answer[0]));
				this.history.count(Coverage.DELETE_IN_FLIGHT, Long.parseLong(answer[1]));
			}
		}
	}

}
