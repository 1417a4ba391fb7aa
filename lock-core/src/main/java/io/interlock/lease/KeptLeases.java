package io.interlock.lease;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;

import io.interlock.LockId;
import io.interlock.LockMode;

/**
 * The holds of this instance that the store keeps without their holders. Nobody renews
 * them, so a look tells whether an operator has freed one at another instance: one
 * question for all of them. An answer that names a later holder of the same lock tells it
 * before that. A store that does not answer changes nothing.
 */
final class KeptLeases {

	/** Looks within a lease. */
	private static final int LOOKS = 4;

	private final LeaseConnection store;

	private final LeaseThreads threads;

	/** What to do when the store keeps one no more. */
	private final ConcurrentMap<LeaseContender, Runnable> kept = new ConcurrentSkipListMap<>(
			Comparator.comparing(LeaseContender::id));

	/** The newest of them that excludes all other holders. */
	private final ConcurrentMap<LockId, Sole> soles = new ConcurrentHashMap<>();

	private final AtomicBoolean looking = new AtomicBoolean();

	private final LeaseTime time;

	private final long pauseNanos;

	private volatile long lookedAt;

	KeptLeases(LeaseConnection store, LeaseSettings settings, LeaseTime time, LeaseThreads threads) {
		this.store = store;
		this.time = time;
		this.threads = threads;
		this.pauseNanos = settings.lease().toNanos() / LOOKS;
		this.lookedAt = time.nanoTime();
	}

	void add(LeaseContender contender, long token, Runnable vanished) {
		this.kept.put(contender, vanished);
		if (contender.mode() == LockMode.EXCLUSIVE) {
			this.soles.put(contender.lock(), new Sole(contender, token, vanished));
		}
	}

	void remove(LeaseContender contender) {
		this.kept.remove(contender);
		this.soles.computeIfPresent(contender.lock(), (lock, sole) -> sole.contender().equals(contender) ? null : sole);
	}

	/** Learn that a lock has, or has had, a holder with a token. */
	void held(LockId lock, long token) {
		Sole sole = this.soles.get(lock);
		if (sole != null && sole.token() < token) {
			sole.vanished().run();
		}
	}

	/** Look unless the last look is young. */
	void lookWhenDue() {
		if (this.time.nanoTime() - this.lookedAt >= this.pauseNanos) {
			look();
		}
	}

	/** Ask the store in the background, unless there is nothing to ask for. */
	void look() {
		this.lookedAt = this.time.nanoTime();
		if (this.kept.isEmpty() || !this.looking.compareAndSet(false, true)) {
			return;
		}
		try {
			this.threads.end(this::ask);
		}
		catch (Throwable ex) {
			// The instance has stopped, or the next look finds a thread.
			this.looking.set(false);
		}
	}

	private void ask() {
		try {
			Map<LeaseContender, Runnable> asked = new LinkedHashMap<>(this.kept);
			Set<LeaseContender> held = this.store.held(asked.keySet());
			asked.forEach((contender, vanished) -> {
				if (!held.contains(contender)) {
					vanished.run();
				}
			});
		}
		catch (LeaseStoreException ex) {
			// The outage is told.
		}
		finally {
			this.looking.set(false);
		}
	}

	private record Sole(LeaseContender contender, long token, Runnable vanished) {

	}

}
