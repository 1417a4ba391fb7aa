package io.interlock.faults.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.interlock.faults.check.Coverage;
import io.interlock.faults.check.History;
import io.interlock.faults.check.ObservedFault;
import io.interlock.faults.time.Lapse;
import io.interlock.faults.worker.Fleet;
import io.interlock.faults.worker.WorkerProcess;
import io.interlock.faults.worker.Workload;
import io.interlock.testsupport.proxy.TcpProxy;
import org.jspecify.annotations.Nullable;

/**
 * Where one fault happens: what it may break, and for how long. Chooses from the random
 * numbers of its lane.
 */
final class Site {

	private static final Duration PROBE_TIMEOUT = Duration.ofMillis(300);

	private final Fault fault;

	private final Random random;

	private final long millis;

	private final List<WorkerProcess> workers;

	private final History history;

	private final boolean alwaysAtHolder;

	Site(Fault fault, Random random, List<WorkerProcess> workers, History history, boolean alwaysAtHolder) {
		this.fault = fault;
		this.random = random;
		this.millis = fault.minMillis() + random.nextInt(fault.maxMillis() - fault.minMillis());
		this.workers = workers;
		this.history = history;
		this.alwaysAtHolder = alwaysAtHolder;
	}

	Random random() {
		return this.random;
	}

	int random(int bound) {
		return this.random.nextInt(bound);
	}

	<T> T pick(List<T> choices) {
		return choices.get(this.random.nextInt(choices.size()));
	}

	/**
	 * Pick a lock that is asked for all the time.
	 */
	String lock() {
		return pick(Workload.KEYS.stream().sorted().toList());
	}

	Duration duration() {
		return Duration.ofMillis(this.millis);
	}

	History history() {
		return this.history;
	}

	List<WorkerProcess> workers() {
		return this.workers;
	}

	/**
	 * Pick a worker, often the holder: chance alone seldom meets it.
	 */
	WorkerProcess worker() {
		WorkerProcess any = pick(this.workers);
		WorkerProcess holder = holderIfSought();
		return (holder != null) ? holder : any;
	}

	WorkerProcess worker(Predicate<Fleet> fleet) {
		return pick(this.workers.stream().filter((worker) -> fleet.test(worker.fleet())).toList());
	}

	/**
	 * Return the holder of the lock that is held for a long time, if there is one, and
	 * chance wants it to be met.
	 */
	@Nullable WorkerProcess holderIfSought() {
		boolean sought = this.random.nextBoolean() || this.alwaysAtHolder;
		return sought ? holder().orElse(null) : null;
	}

	/**
	 * Return the holder of the lock that is held for a long time.
	 */
	Optional<WorkerProcess> holder() {
		return this.history.holderOf(Workload.LONG_KEY)
			.flatMap((name) -> this.workers.stream().filter((worker) -> worker.toString().equals(name)).findFirst());
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

	void onPool(WorkerProcess worker, String target) throws InterruptedException {
		during(target, () -> worker.tell("exhaust " + this.millis, PROBE_TIMEOUT), () -> {
		});
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

	void during(String target, Runnable breakIt, Runnable mendIt) throws InterruptedException {
		long begin = System.nanoTime();
		breakIt.run();
		try {
			Lapse.of(Duration.ofMillis(Math.min(30, this.millis)));
			probe();
			Lapse.of(Duration.ofMillis(this.millis));
		}
		finally {
			mendIt.run();
			this.history.add(new ObservedFault(this.fault.kind(), target, begin, System.nanoTime()));
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
