package io.interlock.faults.worker;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import io.interlock.LockException;
import io.interlock.LockRequest;
import io.interlock.faults.check.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * One thread of a worker. It reports what it does, and writes to the fenced resource
 * whatever it is told about the lock meanwhile, as a careless holder would.
 */
final class Actor implements Runnable {

	static final int CARELESS_WRITES = 3;

	private static final int SHOWN_FRAMES = 12;

	private static final Duration LOOK_INTERVAL = Duration.ofMillis(5);

	private final Worker worker;

	private final Workload workload;

	private final Random random;

	private final Report report;

	private final Interrupts interrupts = new Interrupts();

	private volatile @Nullable Thread thread;

	private volatile @Nullable Doing doing;

	Actor(Worker worker, Workload workload, long seed, int witnessPort) {
		this.worker = worker;
		this.workload = workload;
		this.random = new Random(seed);
		this.report = new Report(witnessPort);
	}

	@Override
	public void run() {
		this.thread = Thread.currentThread();
		while (this.worker.isWorking()) {
			try {
				this.workload.cycle(this);
			}
			catch (RuntimeException | Error ex) {
				this.report.violation("%s threw %s".formatted(this.workload, ex));
			}
			this.doing = null;
			pause(Duration.ofMillis(5 + random(40)));
			String wrong = this.interrupts.take();
			if (wrong != null) {
				this.report.violation(wrong);
			}
		}
	}

	/**
	 * Return what the thread does with a lock, and where it is.
	 * @return lines, none if it does nothing with it
	 */
	List<String> belief(String key) {
		Doing now = this.doing;
		Thread target = this.thread;
		if (now == null || target == null || !now.key().equals(key)) {
			return List.of();
		}
		String what = "%s %s for %.1f s".formatted(this.workload, now.what(), (System.nanoTime() - now.since()) / 1e9);
		Stream<String> frames = Stream.of(target.getStackTrace()).limit(SHOWN_FRAMES).map((frame) -> "  at " + frame);
		return Stream.concat(Stream.of(what), frames).toList();
	}

	int random(int bound) {
		return this.random.nextInt(bound);
	}

	void interrupt() {
		Thread target = this.thread;
		if (target != null && this.workload == Workload.INTERRUPTED) {
			this.interrupts.send(target);
		}
	}

	void hold(String key, boolean shared, Duration wait, Duration section) {
		Held held = acquire(key, shared, wait);
		if (held != null) {
			work(held, shared, section, CARELESS_WRITES);
			end(held);
		}
	}

	void holdAll(List<String> keys, Duration wait, Duration section) {
		new GroupActor(this.worker, this.report, this.random).hold(keys, wait, section);
	}

	/**
	 * Hold a lock, and ask for it once more in the middle.
	 * @param carelessWrites writes until it ends once it is in doubt
	 */
	void holdTwice(String key, Duration wait, Duration section, int carelessWrites) {
		Locks locks = this.worker.client().locks();
		Held outer = acquire(key, false, wait);
		if (outer == null) {
			return;
		}
		work(outer, false, section.dividedBy(2), carelessWrites);
		try {
			long before = System.nanoTime();
			Held inner = locks.acquire(key, false, Duration.ofSeconds(1)).held();
			if (inner != null) {
				this.report.reentered(before);
				if (inner.token() != outer.token() && outer.isValid()) {
					this.report
						.violation("re-entered with token %d instead of %d".formatted(inner.token(), outer.token()));
				}
				inner.close();
			}
		}
		catch (LockException ex) {
			// Lost in between: said by the exception.
		}
		work(outer, false, section.dividedBy(2), carelessWrites);
		end(outer);
	}

	private @Nullable Held acquire(String key, boolean shared, Duration wait) {
		Worker.Client client = this.worker.client();
		this.report.speaksFor(client.instance());
		long askedAt = System.nanoTime();
		this.doing = new Doing("waits for " + key, key, askedAt);
		Answer answer = client.locks().acquire(key, shared, wait);
		long answeredAt = System.nanoTime();
		Held held = answer.held();
		this.doing = (held != null) ? new Doing("holds %s with token %d".formatted(key, held.token()), key, answeredAt)
				: null;
		if (!wait.equals(LockRequest.FOREVER) && this.worker.keepsDeadlines()) {
			long waitNanos = wait.isZero() ? TimeUnit.SECONDS.toNanos(1) : wait.toNanos();
			this.report.attempt(answer.outcome(), answeredAt, waitNanos, answeredAt - askedAt,
					this.worker.hiccups().stalled(askedAt, answeredAt));
		}
		if (held != null) {
			this.report.granted(key, shared, held.token(), askedAt, answeredAt);
		}
		else if (answer.outcome() == Outcome.UNAVAILABLE) {
			pause(Duration.ofMillis(100));
		}
		return held;
	}

	/**
	 * Work under the lock, and go on for a while after it is known to be in doubt.
	 */
	private void work(Held held, boolean shared, Duration section, int carelessWrites) {
		long end = System.nanoTime() + section.toNanos();
		int careless = carelessWrites;
		do {
			if (!look(held)) {
				careless--;
			}
			long read = shared ? -1 : this.report.read();
			pause(Duration.ofMillis(1 + random(4)));
			if (!shared) {
				this.report.write(read);
			}
			rest(held, section.dividedBy(40));
		}
		while (System.nanoTime() < end && careless > 0);
		look(held);
	}

	private void rest(Held held, Duration duration) {
		long end = System.nanoTime() + duration.toNanos();
		for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
			pause(Duration.ofNanos(Math.min(left, LOOK_INTERVAL.toNanos())));
			look(held);
		}
	}

	private boolean look(Held held) {
		long before = System.nanoTime();
		boolean valid = held.isValid();
		if (valid) {
			this.report.valid(before);
		}
		return valid;
	}

	private void end(Held held) {
		long at = System.nanoTime();
		if (held.closesOnAnyThread() && random(10) == 0) {
			CompletableFuture.runAsync(held::close).join();
		}
		else {
			held.close();
		}
		this.report.ended(at, held.lostAt());
	}

	private static void pause(Duration duration) {
		LockSupport.parkNanos(duration.toNanos());
	}

	/**
	 * What the thread does with a lock.
	 */
	private record Doing(String what, String key, long since) {

	}

}
