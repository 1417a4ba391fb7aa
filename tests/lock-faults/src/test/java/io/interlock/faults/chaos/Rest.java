package io.interlock.faults.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.interlock.faults.check.Violation;
import io.interlock.faults.worker.WorkerProcess;

/**
 * The end of a run: workers come to rest, and keep their sessions, which would sweep up
 * whatever was forgotten.
 *
 * @param sessions sessions of the workers that came to rest and are under test
 * @param hanging the workers that did not
 */
record Rest(List<String> sessions, List<Violation> hanging) {

	private static final String QUIET = "quiet ";

	static Rest of(List<WorkerProcess> workers) {
		Rest rest = new Rest(new ArrayList<>(), new ArrayList<>());
		List<CompletableFuture<String>> answers = workers.stream()
			.map((worker) -> CompletableFuture.supplyAsync(() -> worker.tell("quiet", Duration.ofSeconds(60)),
					(task) -> new Thread(task, "quiet").start()))
			.toList();
		for (int i = 0; i < workers.size(); i++) {
			WorkerProcess worker = workers.get(i);
			String answer = answers.get(i).join();
			if (!answer.startsWith(QUIET)) {
				rest.hanging.add(new Violation("liveness", worker + " does not come to rest: " + answer));
			}
			else if (worker.fleet().isInterlock()) {
				rest.sessions.add(answer.substring(QUIET.length()));
			}
		}
		return rest;
	}

}
