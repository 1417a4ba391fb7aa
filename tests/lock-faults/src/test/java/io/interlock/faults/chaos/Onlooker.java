package io.interlock.faults.chaos;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

import io.interlock.faults.check.History;
import io.interlock.faults.check.SilenceChecker;
import io.interlock.faults.check.StillLock;
import io.interlock.faults.check.StillLock.Belief;
import io.interlock.faults.check.StillLock.Contender;
import io.interlock.faults.time.Lapse;
import io.interlock.faults.worker.WorkerProcess;

/**
 * Looks at a lock as soon as it has stood still for longer than is allowed: when the run
 * is over, nothing of that is left to be seen.
 */
final class Onlooker {

	private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(2);

	private final History history;

	private final List<WorkerProcess> workers;

	private final Supplier<List<SilenceChecker>> checkers;

	private final Function<String, List<Contender>> queues;

	private final Thread thread = new Thread(this::look, "onlooker");

	private volatile boolean looking = true;

	/**
	 * Start to look.
	 * @param history what happens
	 * @param workers whom to ask
	 * @param checkers what judges the liveness of the run up to now
	 * @param queues what lies in the queue of a lock
	 */
	Onlooker(History history, List<WorkerProcess> workers, Supplier<List<SilenceChecker>> checkers,
			Function<String, List<Contender>> queues) {
		this.history = history;
		this.workers = workers;
		this.checkers = checkers;
		this.queues = queues;
		this.thread.setDaemon(true);
		this.thread.start();
	}

	private void look() {
		try {
			while (this.looking) {
				for (SilenceChecker checker : this.checkers.get()) {
					checker.unseen(this.history).forEach(this::look);
				}
				Lapse.of(Duration.ofSeconds(1));
			}
		}
		catch (InterruptedException ex) {
			// The run is over.
		}
	}

	private void look(String key) {
		long at = System.nanoTime();
		List<CompletableFuture<Belief>> beliefs = this.workers.stream()
			.map((worker) -> CompletableFuture.supplyAsync(() -> belief(worker, key),
					(task) -> new Thread(task, "look").start()))
			.toList();
		List<Contender> queue = this.queues.apply(key);
		this.history.add(new StillLock(key, at, queue, beliefs.stream().map(CompletableFuture::join).toList()));
	}

	private static Belief belief(WorkerProcess worker, String key) {
		String answer = worker.tell("look " + key, ANSWER_TIMEOUT);
		return new Belief(worker.toString(), answer.isEmpty() ? List.of() : List.of(answer.split("\t")));
	}

	/**
	 * Stop to look, and wait for what is looked at.
	 */
	void stop() throws InterruptedException {
		this.looking = false;
		this.thread.join();
	}

}
