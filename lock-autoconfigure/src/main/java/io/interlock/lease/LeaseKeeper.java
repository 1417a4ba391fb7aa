package io.interlock.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Extends the leases of all holds, and of all contenders that wait, in one request each
 * third of the lease, and ends the holds whose leases are over. The request has a thread
 * of its own, which may block; the timer, which looks for ends, never does. Invariant: a
 * registered hold is either covered by its lease or lost, and a hold that was lost never
 * comes back.
 */
final class LeaseKeeper implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LeaseKeeper.class);

	private static final long LONGEST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final long CLEAN_NANOS = TimeUnit.MINUTES.toNanos(10);

	private final LeaseStore store;

	private final LeaseSettings settings;

	private final long leaseNanos;

	private final LeaseThreads threads;

	private final Set<LeaseHold> holds = ConcurrentHashMap.newKeySet();

	private final ConcurrentMap<LeaseContender, Long> waiting = new ConcurrentHashMap<>();

	private final Thread renewals = new Thread(this::run, "interlock-lease");

	private final AtomicBoolean looking = new AtomicBoolean();

	private volatile long nextRenewalAt;

	private volatile boolean resting;

	private volatile boolean closed;

	private boolean failing;

	private long cleanedAt = System.nanoTime();

	LeaseKeeper(LeaseStore store, LeaseSettings settings, LeaseThreads threads) {
		this.store = store;
		this.settings = settings;
		this.leaseNanos = settings.lease().toNanos();
		this.threads = threads;
		this.renewals.setDaemon(true);
	}

	void start() {
		this.renewals.start();
	}

	Set<LeaseHold> holds() {
		return this.holds;
	}

	void register(LeaseHold hold) {
		this.holds.add(hold);
		wakeFor(hold.confirmedAt());
		lookSoon();
		if (this.closed) {
			hold.lose();
		}
	}

	/**
	 * Forget a hold.
	 * @return whether it was registered, so that the caller has to release it
	 */
	boolean deregister(LeaseHold hold) {
		return this.holds.remove(hold);
	}

	void keepWaiting(LeaseContender contender, long sentAt) {
		if (this.waiting.putIfAbsent(contender, sentAt) == null) {
			wakeFor(sentAt);
		}
	}

	void stopWaiting(LeaseContender contender) {
		this.waiting.remove(contender);
	}

	private void wakeFor(long sentAt) {
		if (this.resting || sentAt + renewalNanos() - this.nextRenewalAt < 0) {
			this.resting = false;
			LockSupport.unpark(this.renewals);
		}
	}

	private long renewalNanos() {
		return this.leaseNanos / 3;
	}

	/**
	 * Renew what is due. No failure ends this: without its thread an instance loses its
	 * locks.
	 */
	private void run() {
		while (!this.closed) {
			long pause;
			try {
				pause = renewWhenDue();
			}
			catch (Throwable ex) {
				pause = failed(ex);
			}
			if (pause > 0) {
				LockSupport.parkNanos(this, pause);
			}
			else if (pause < 0) {
				rest();
			}
		}
	}

	private void rest() {
		this.resting = true;
		if (this.holds.stream().noneMatch(LeaseHold::isOpen) && this.waiting.isEmpty() && !this.closed) {
			LockSupport.parkNanos(this, CLEAN_NANOS);
		}
		this.resting = false;
		cleanWhenDue();
	}

	private void cleanWhenDue() {
		if (System.nanoTime() - this.cleanedAt >= CLEAN_NANOS && !this.closed) {
			this.cleanedAt = System.nanoTime();
			try {
				this.store.clean();
			}
			catch (Throwable ex) {
				logger.debug("What no lock needs any more was not removed; the next look tries again", ex);
			}
		}
	}

	/**
	 * Return how long to wait for the next renewal.
	 * @return nanoseconds; negative while there is nothing to renew
	 */
	private long renewWhenDue() {
		long oldest = Long.MAX_VALUE;
		long now = System.nanoTime();
		for (LeaseHold hold : this.holds) {
			oldest = hold.isOpen() ? Math.min(oldest, hold.confirmedAt() - now) : oldest;
		}
		for (long sentAt : this.waiting.values()) {
			oldest = Math.min(oldest, sentAt - now);
		}
		if (oldest == Long.MAX_VALUE) {
			return -1;
		}
		long pause = oldest + renewalNanos();
		this.nextRenewalAt = now + Math.max(0, pause);
		if (pause > 0) {
			return pause;
		}
		renew();
		cleanWhenDue();
		return 0;
	}

	private void renew() {
		List<LeaseHold> open = this.holds.stream().filter(LeaseHold::isOpen).toList();
		List<LeaseContender> waiters = List.copyOf(this.waiting.keySet());
		List<LeaseContender> contenders = new ArrayList<>(open.stream().map(LeaseHold::contender).toList());
		contenders.addAll(waiters);
		if (contenders.isEmpty()) {
			return;
		}
		long sentAt = System.nanoTime();
		Set<LeaseContender> renewed;
		try {
			renewed = this.store.renew(contenders, this.settings.lease());
		}
		catch (Throwable ex) {
			open.forEach(LeaseHold::doubt);
			throw ex;
		}
		recovered();
		for (LeaseHold hold : open) {
			if (renewed.contains(hold.contender())) {
				hold.confirm(sentAt);
			}
			else {
				hold.lose();
			}
		}
		// One that has dropped out joins again when it asks.
		waiters.forEach((waiter) -> this.waiting.computeIfPresent(waiter, (id, before) -> sentAt));
	}

	private long failed(Throwable failure) {
		if (!this.failing) {
			this.failing = true;
			logger.warn(
					"The leases of locks were not renewed: %s. Holds are unconfirmed until it succeeds, and lost when their leases are over"
						.formatted(failure),
					failure);
		}
		return Math.max(TimeUnit.MILLISECONDS.toNanos(20), this.leaseNanos / 60);
	}

	private void recovered() {
		if (this.failing) {
			this.failing = false;
			logger.info("The leases of locks are renewed again");
		}
	}

	private void lookSoon() {
		if (this.looking.compareAndSet(false, true)) {
			lookLater();
		}
	}

	private void lookLater() {
		try {
			this.threads.later(this::look, Math.min(LONGEST_LOOK_NANOS, this.leaseNanos / 50));
		}
		catch (RejectedExecutionException ex) {
			// The instance has stopped.
		}
	}

	private void look() {
		for (LeaseHold hold : this.holds) {
			if (hold.isLost()) {
				hold.lose();
			}
			else {
				hold.tellState();
			}
		}
		if (!this.holds.isEmpty()) {
			lookLater();
			return;
		}
		this.looking.set(false);
		if (!this.holds.isEmpty()) {
			lookSoon();
		}
	}

	@Override
	public void close() {
		this.closed = true;
		LockSupport.unpark(this.renewals);
	}

}
