package io.interlock.lease;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;

import io.interlock.LockId;

/**
 * What the attempts and the holds of a provider share. Invariant: what is done to several
 * of them is done in an order that does not change from run to run.
 */
final class LeaseEngine {

	private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** So many times within a lease. */
	private static final int WATCHES = 20;

	private final LeaseConnection store;

	private final LeaseSettings settings;

	private final LeaseTime time;

	private final LeaseThreads threads;

	private final LeaseReleases releases;

	private final LeaseKeeper keeper;

	private final LeaseCleaner cleaner;

	private final ConcurrentMap<LockId, Set<LeaseAttempt>> attempts = new ConcurrentHashMap<>();

	private volatile long answeredAt;

	LeaseEngine(LeaseStore store, LeaseSettings settings, LeaseTime time) {
		this.store = new LeaseConnection(store, time, settings.lease());
		this.settings = settings;
		this.time = time;
		this.answeredAt = time.nanoTime();
		this.threads = new LeaseThreads(time, settings.threads());
		this.releases = new LeaseReleases(this.store, settings, time, this.threads, this::wake);
		this.keeper = new LeaseKeeper(this.store, settings, time, this.threads);
		this.store.listen(this::wake);
		this.cleaner = new LeaseCleaner(this.store, time, this.threads);
		this.cleaner.start();
		this.threads.repeat(this::watch, settings.lease().toNanos() / WATCHES);
	}

	/** Go on with what has ended for want of memory. */
	private void watch() {
		this.keeper.watch();
		this.releases.resume();
		this.cleaner.resume();
	}

	LeaseStore store() {
		return this.store;
	}

	LeaseSettings settings() {
		return this.settings;
	}

	LeaseTime time() {
		return this.time;
	}

	LeaseThreads threads() {
		return this.threads;
	}

	LeaseReleases releases() {
		return this.releases;
	}

	LeaseKeeper keeper() {
		return this.keeper;
	}

	void answered() {
		this.answeredAt = this.time.nanoTime();
	}

	/** Return whether the store has answered lately, whatever it was asked. */
	boolean isAnswering() {
		return this.time.nanoTime() - this.answeredAt < SILENCE_NANOS + 2 * this.settings.pollInterval().toNanos();
	}

	/**
	 * Return what is known of the store. If its newest answer is old, it is asked first.
	 * @param wait whether to wait for that answer, for a second at the most
	 */
	LeaseStoreSnapshot snapshot(boolean wait) {
		this.store.askIfOld(this.threads, wait);
		return new LeaseStoreSnapshot(this.store.state(this.keeper.isFailing()), this.store.answerAge(),
				this.store.failure(), this.keeper.holds().size(), this.releases.pending());
	}

	void add(LeaseAttempt attempt) {
		this.attempts.compute(attempt.lock(), (id, present) -> {
			Set<LeaseAttempt> attempts = (present != null) ? present : new ConcurrentSkipListSet<>(LeaseAttempt.ORDER);
			attempts.add(attempt);
			return attempts;
		});
	}

	void remove(LeaseAttempt attempt) {
		this.attempts.computeIfPresent(attempt.lock(), (id, attempts) -> {
			attempts.remove(attempt);
			return attempts.isEmpty() ? null : attempts;
		});
	}

	/** Let the attempts of this instance at a lock ask again now. */
	void wake(LockId id) {
		Set<LeaseAttempt> waiting = this.attempts.get(id);
		if (waiting != null) {
			waiting.forEach(LeaseAttempt::ask);
		}
	}

	/**
	 * Fail what is under way, end the holds that are left, and wait a moment for the
	 * store to confirm it.
	 */
	void close() {
		this.attempts.values()
			.stream()
			.flatMap(Set::stream)
			.toList()
			.forEach((attempt) -> attempt.fail(LeaseFailures.closed(attempt.lock())));
		// A request under way may still bring a hold, which then has to be released.
		this.threads.awaitRequests(this.settings.verifyTimeout());
		this.keeper.close();
		List.copyOf(this.keeper.holds()).forEach(LeaseHold::close);
		this.releases.await(this.settings.verifyTimeout());
		this.threads.close();
		this.releases.close();
		this.store.close();
	}

}
