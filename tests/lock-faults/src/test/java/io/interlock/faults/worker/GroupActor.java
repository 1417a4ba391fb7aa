package io.interlock.faults.worker;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

import io.interlock.faults.check.Outcome;

/**
 * Acquires many locks together, so that many requests travel at once, and works under all
 * of them to the end, whatever it is told meanwhile. Belongs to one thread.
 */
final class GroupActor {

	private static final Duration STEP = Duration.ofMillis(20);

	private static final Duration PAUSE_OF_OUTAGE = Duration.ofMillis(100);

	private final Worker worker;

	private final Report report;

	private final Random random;

	GroupActor(Worker worker, Report report, Random random) {
		this.worker = worker;
		this.report = report;
		this.random = random;
	}

	void hold(List<String> keys, Duration wait, Duration section) {
		Worker.Client client = this.worker.client();
		this.report.speaksFor(client.instance());
		long askedAt = System.nanoTime();
		GroupAnswer answer = client.locks().acquireAll(keys, wait);
		long answeredAt = System.nanoTime();
		this.report.attempt(answer.outcome(), answeredAt, wait.toNanos(), answeredAt - askedAt,
				this.worker.hiccups().stalled(askedAt, answeredAt));
		if (answer.outcome() == Outcome.UNAVAILABLE) {
			LockSupport.parkNanos(PAUSE_OF_OUTAGE.toNanos());
		}
		Map<String, Held> held = answer.held();
		held.forEach((key, hold) -> this.report.granted(key, false, hold.token(), askedAt, answeredAt));
		if (!held.isEmpty()) {
			work(held, section);
			end(held, answer.release());
		}
	}

	private void work(Map<String, Held> held, Duration section) {
		List<String> keys = List.copyOf(held.keySet());
		long end = System.nanoTime() + section.toNanos();
		do {
			held.forEach(this::look);
			this.report.turnsTo(keys.get(this.random.nextInt(keys.size())));
			long read = this.report.read();
			LockSupport.parkNanos(STEP.toNanos());
			this.report.write(read);
		}
		while (System.nanoTime() < end);
		held.forEach(this::look);
	}

	private void end(Map<String, Held> held, Runnable release) {
		long at = System.nanoTime();
		release.run();
		held.forEach((key, hold) -> {
			this.report.turnsTo(key);
			this.report.ended(at, hold.lostAt());
		});
	}

	private void look(String key, Held hold) {
		long before = System.nanoTime();
		if (hold.isValid()) {
			this.report.turnsTo(key);
			this.report.valid(before);
		}
	}

}
