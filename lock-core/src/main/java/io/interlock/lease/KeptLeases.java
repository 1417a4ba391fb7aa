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

	private final LeaseConnection store;

	private final LeaseThreads threads;

	private final Set<LeaseKeeping> kept = new ConcurrentSkipListSet<>(
			Comparator.comparing((keeping) -> keeping.kept().id()));

	private final AtomicBoolean looking = new AtomicBoolean();

	KeptLeases(LeaseConnection store, LeaseThreads threads) {
		this.store = store;
		this.threads = threads;
	}

	void add(LeaseKeeping keeping) {
		this.kept.add(keeping);
	}

	void remove(LeaseKeeping keeping) {
		this.kept.remove(keeping);
	}

	/** Ask the store in the background, unless there is nothing to ask for. */
	void look() {
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
