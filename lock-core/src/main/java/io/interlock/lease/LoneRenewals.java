package io.interlock.lease;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import io.interlock.lease.LeaseStore.Renewed;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Renews holds alone that were passed over for a third of a lease, because something had
 * them locked at each look. Each waits for its turn in the store, on a thread that
 * nothing else needs. Invariants: one is under way at a time, and a hold whose turn does
 * not come keeps no other one from being tried.
 */
final class LoneRenewals {

	private static final Log logger = LogFactory.getLog(LoneRenewals.class);

	private final LeaseConnection store;

	private final LeaseTime time;

	private final LeaseThreads threads;

	private final AtomicBoolean underWay = new AtomicBoolean();

	/**
	 * Holds that were tried and told of, the one that was tried last behind the others.
	 */
	private final Set<LeaseGrant> tried = new LinkedHashSet<>();

	LoneRenewals(LeaseParts parts) {
		this.store = parts.connection();
		this.time = parts.time();
		this.threads = parts.threads();
	}

	/**
	 * Begin to renew one of these holds, unless one is under way. Called by one thread.
	 */
	void renew(List<LeaseGrant> passedOver) {
		this.tried.removeIf((hold) -> !hold.isOpen());
		next(passedOver.stream().filter((hold) -> hold.isOpen() && !hold.isFresh()).toList()).ifPresent(this::begin);
	}

	private Optional<LeaseGrant> next(List<LeaseGrant> late) {
		return late.stream()
			.filter((hold) -> !this.tried.contains(hold))
			.findFirst()
			.or(() -> this.tried.stream().filter(late::contains).findFirst());
	}

	private void begin(LeaseGrant hold) {
		if (!this.underWay.compareAndSet(false, true)) {
			return;
		}
		// Before the renewal, which may have its answer when this goes on.
		long age = hold.age();
		try {
			this.threads.renewAlone(() -> renew(hold));
		}
		catch (Throwable ex) {
			// The next look finds a thread.
			this.underWay.set(false);
			return;
		}
		if (!this.tried.remove(hold)) {
			warn(hold, age);
		}
		this.tried.add(hold);
	}

	private void renew(LeaseGrant hold) {
		try {
			long sentAt = this.time.nanoTime();
			Renewed answer = this.store.renewAlone(hold.contender());
			if (answer.renewed().contains(hold.contender())) {
				hold.confirm(sentAt);
			}
			else if (!answer.passedOver().contains(hold.contender())) {
				hold.lose();
			}
		}
		catch (Throwable ex) {
			// It is tried again. The renewal of the others tells of an outage.
		}
		finally {
			this.underWay.set(false);
		}
	}

	private void warn(LeaseGrant hold, long age) {
		try {
			logger.warn(("The lease of lock %s was not renewed for %d ms: another transaction had its row locked at "
					+ "every attempt. It is now renewed separately, and lost if that fails. End the "
					+ "transaction that locks the row, or make it shorter")
				.formatted(hold.contender().lock(), age / 1_000_000));
		}
		catch (Throwable ex) {
			// A failed log line must not prevent the renewal.
		}
	}

}
