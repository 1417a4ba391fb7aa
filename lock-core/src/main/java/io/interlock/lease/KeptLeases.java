package io.interlock.lease;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The holds of this instance that the store keeps without their holders. Nobody renews
 * them, so a look tells whether an operator has freed one at another instance: one
 * question for all of them. A store that does not answer changes nothing.
 */
final class KeptLeases {

	/** Looks within a lease. */
	private static final int LOOKS = 4;

	private final LeaseConnection store;

	private final LeaseThreads threads;

	private final Set<LeaseKeeping> kept = new ConcurrentSkipListSet<>(
			Comparator.comparing((keeping) -> keeping.kept().id()));

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

	void add(LeaseKeeping keeping) {
		this.kept.add(keeping);
	}

	void remove(LeaseKeeping keeping) {
		this.kept.remove(keeping);
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
			List<LeaseKeeping> asked = List.copyOf(this.kept);
			Set<LeaseContender> held = this.store.held(asked.stream().map(LeaseKeeping::kept).toList());
			asked.stream().filter((keeping) -> !held.contains(keeping.kept())).forEach(LeaseKeeping::vanished);
		}
		catch (LeaseStoreException ex) {
			// The outage is told.
		}
		finally {
			this.looking.set(false);
		}
	}

}
