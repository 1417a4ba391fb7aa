package io.interlock.lease;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;

import io.interlock.LockId;
import org.jspecify.annotations.Nullable;

/**
 * The shared state of a provider's attempts and holds. Invariant: what is done to several
 * of them is done in an order that does not change from run to run.
 */
final class LeaseEngine {

	private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** Looks within a lease. */
	private static final int WATCHES = 20;

	private final LeaseConnection store;

	private final LeaseSettings settings;

	private final LeaseTime time;

	private final LeaseThreads threads;

	private final LeaseReleases releases;

	private final LeaseKeeper keeper;

	private final LeaseCleaner cleaner;

	/** The attempts that are undecided, or whose question is under way. */
	private final ConcurrentMap<LockId, Set<LeaseAttempt>> attempts = new ConcurrentHashMap<>();

	private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

	private volatile boolean closed;

	private volatile long answeredAt;

	LeaseEngine(LeaseStore store, LeaseSettings settings, LeaseTime time) {
		this.settings = settings;
		this.time = time;
		this.answeredAt = time.nanoTime();
		this.threads = new LeaseThreads(time, settings.threads());
		this.store = new LeaseConnection(store, time, this.threads, settings.lease());
		this.releases = new LeaseReleases(this.store, settings, time, this.threads, this::wake);
		this.keeper = new LeaseKeeper(this.store, settings, time, this.threads);
		store.listen(this::wake);
		this.cleaner = new LeaseCleaner(store, time, this.threads);
		this.cleaner.start();
		this.threads.repeat(this::watch, settings.lease().toNanos() / WATCHES);
	}

	/** Resume what has ended for want of memory. */
	private void watch() {
		this.keeper.watch();
		this.releases.resume();
		this.cleaner.resume();
	}

	LeaseConnection store() {
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

	/** Return whether the store has answered any call lately. */
	boolean isAnswering() {
		return this.time.nanoTime() - this.answeredAt < SILENCE_NANOS + 2 * this.settings.pollInterval().toNanos();
	}

	/** Return the state of the store. Renews an old answer, in at most 1 s. */
	LeaseStoreSnapshot snapshot(boolean wait) {
		this.store.askIfOld(wait);
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
		endIfClosed();
	}

	private void endIfClosed() {
		if (this.closed && this.attempts.isEmpty()) {
			this.ended.complete(null);
		}
	}

	boolean isClosed() {
		return this.closed;
	}

	/** Let the attempts of this instance at a lock ask again now. */
	void wake(LockId id) {
		Set<LeaseAttempt> waiting = this.attempts.get(id);
		if (waiting != null) {
			waiting.forEach(LeaseAttempt::ask);
		}
	}

	/** Fail attempts, end holds, and wait a moment until the store confirms it. */
	void close() {
		this.closed = true;
		this.attempts.values()
			.stream()
			.flatMap(Set::stream)
			.toList()
			.forEach((attempt) -> attempt.fail(LeaseFailures.closed(attempt.lock())));
		// A request under way may still bring a hold, which then has to be released.
		endIfClosed();
		LeaseThreads.await(this.time, this.ended, this.settings.verifyTimeout().toNanos());
		this.keeper.close();
		List.copyOf(this.keeper.holds()).forEach(LeaseHold::close);
		this.releases.await(this.settings.verifyTimeout());
		this.threads.close();
		this.releases.close();
		this.store.close();
	}

}
