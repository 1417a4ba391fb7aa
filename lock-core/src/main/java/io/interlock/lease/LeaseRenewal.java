package io.interlock.lease;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import io.interlock.LockState;
import io.interlock.lease.LeaseStore.Renewed;
import org.jspecify.annotations.Nullable;

/**
 * Extends the leases of all holds, and of all contenders that wait, in one request each
 * twelfth of the lease, and ends the holds whose leases are over. The request has a
 * thread of its own, which may block; the timer, which looks for ends, never does.
 * Invariants: a registered hold is either covered by its lease or lost, and a hold that
 * was lost never comes back; while there is something to renew, a look for it is planned
 * or under way.
 */
final class LeaseRenewal {

	/** Renewals within a lease. An outage may begin right before one of them. */
	private static final int RENEWALS = 12;

	private static final long LONGEST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final LeaseConnection store;

	private final long leaseNanos;

	private final LeaseTime time;

	private final LeaseThreads threads;

	private final LeaseReleases releases;

	private final LoneRenewals alone;

	private final Set<LeaseGrant> holds = new ConcurrentSkipListSet<>(LeaseGrant.ORDER);

	private final ConcurrentMap<LeaseContender, Long> waiting = new ConcurrentSkipListMap<>(
			Comparator.comparing(LeaseContender::id));

	private final AtomicBoolean looking = new AtomicBoolean();

	/** Whether the thread has been asked to renew, and has not begun. */
	private final AtomicBoolean begun = new AtomicBoolean();

	private volatile boolean closed;

	private @Nullable Future<?> plan;

	private long plannedAt;

	private final RenewalLog log;

	private List<LeaseGrant> passedOver = List.of();

	LeaseRenewal(LeaseParts parts) {
		this.store = parts.connection();
		this.leaseNanos = parts.settings().lease().toNanos();
		this.time = parts.time();
		this.threads = parts.threads();
		this.releases = parts.releases();
		this.alone = new LoneRenewals(parts);
		this.log = new RenewalLog(this.time, this.leaseNanos);
	}

	int holds() {
		return this.holds.size();
	}

	void register(LeaseGrant grant) {
		this.holds.add(grant);
		plan(grant.confirmedAt() + renewalNanos());
		lookSoon();
		if (this.closed) {
			grant.lose();
		}
	}

	/** Stop renewing a hold, and release it unless that has begun before. */
	CompletableFuture<LockState> release(LeaseGrant grant) {
		return this.holds.remove(grant) ? this.releases.release(grant.contender(), grant.fencingToken())
				: CompletableFuture.completedFuture(LockState.LOST);
	}

	/** Stop renewing a hold that the store keeps without its holder. */
	void leave(LeaseGrant grant) {
		this.holds.remove(grant);
	}

	void keepWaiting(LeaseContender contender, long sentAt) {
		if (this.waiting.putIfAbsent(contender, sentAt) == null) {
			plan(sentAt + renewalNanos());
		}
	}

	void stopWaiting(LeaseContender contender) {
		this.waiting.remove(contender);
	}

	private long renewalNanos() {
		return this.leaseNanos / RENEWALS;
	}

	private synchronized void plan(long at) {
		if (this.closed || (this.plan != null && this.plannedAt - at <= 0)) {
			return;
		}
		cancelPlan();
		this.plannedAt = at;
		try {
			this.plan = this.threads.later(this::begin, Math.max(0, at - this.time.nanoTime()));
		}
		catch (Throwable ex) {
			// The instance has stopped, or the watch plans it later.
		}
	}

	/** Plan the look and the renewal again if there was no memory to plan them. */
	void watch() {
		if (!this.holds.isEmpty()) {
			lookSoon();
		}
		if (!this.holds.isEmpty() || !this.waiting.isEmpty()) {
			planUnlessPlanned();
		}
	}

	private synchronized void planUnlessPlanned() {
		if (this.plan == null && !this.begun.get()) {
			plan(this.time.nanoTime());
		}
	}

	private synchronized void cancelPlan() {
		if (this.plan != null) {
			this.plan.cancel(false);
			this.plan = null;
		}
	}

	private void begin() {
		cancelPlan();
		if (this.begun.compareAndSet(false, true)) {
			try {
				this.threads.renew(this::run);
			}
			catch (Throwable ex) {
				this.begun.set(false);
				retry(ex);
			}
		}
	}

	/** No failure ends this: without renewals, an instance loses its locks. */
	private void run() {
		this.begun.set(false);
		try {
			planAfter(renewWhenDue());
		}
		catch (Throwable ex) {
			retry(ex);
		}
	}

	private void retry(Throwable failure) {
		this.log.failed("locks", failure, isOneOpen(openHolds()));
		planAfter(retryNanos());
	}

	private void planAfter(long pause) {
		if (pause >= 0) {
			plan(this.time.nanoTime() + pause);
		}
	}

	/** Return nanoseconds until the next renewal, negative if there is none. */
	private long renewWhenDue() {
		List<LeaseGrant> late = this.passedOver.stream().filter(LeaseGrant::isOpen).toList();
		this.passedOver = late;
		long pause = untilDue(late);
		if (pause <= 0) {
			renew(openHolds(), List.copyOf(this.waiting.keySet()));
		}
		else if (!late.isEmpty()) {
			renew(late, List.of());
		}
		else {
			return (pause != Long.MAX_VALUE) ? pause : -1;
		}
		return this.passedOver.isEmpty() ? 0 : retryNanos();
	}

	private static BooleanSupplier isOneOpen(List<LeaseGrant> holds) {
		return () -> holds.stream().anyMatch(LeaseGrant::isOpen);
	}

	/** Return the holds that are not lost. */
	List<LeaseGrant> openHolds() {
		return this.holds.stream().filter(LeaseGrant::isOpen).toList();
	}

	private long untilDue(List<LeaseGrant> except) {
		long oldest = Long.MAX_VALUE;
		long now = this.time.nanoTime();
		for (LeaseGrant grant : this.holds) {
			oldest = (grant.isOpen() && !except.contains(grant)) ? Math.min(oldest, grant.confirmedAt() - now) : oldest;
		}
		for (long sentAt : this.waiting.values()) {
			oldest = Math.min(oldest, sentAt - now);
		}
		return (oldest != Long.MAX_VALUE) ? oldest + renewalNanos() : oldest;
	}

	private void renew(List<LeaseGrant> open, List<LeaseContender> waiters) {
		List<LeaseContender> contenders = new ArrayList<>(open.stream().map(LeaseGrant::contender).toList());
		contenders.addAll(waiters);
		if (contenders.isEmpty()) {
			return;
		}
		long sentAt = this.time.nanoTime();
		Renewed answer;
		try {
			answer = this.store.renew(contenders);
		}
		catch (Throwable ex) {
			open.forEach(LeaseGrant::doubt);
			throw ex;
		}
		List<LeaseGrant> locked = new ArrayList<>();
		List<LeaseGrant> unanswered = new ArrayList<>();
		for (LeaseGrant grant : open) {
			if (answer.renewed().contains(grant.contender())) {
				grant.confirm(sentAt);
			}
			else if (answer.passedOver().contains(grant.contender())) {
				locked.add(grant);
			}
			else if (answer.unanswered().containsKey(grant.contender())) {
				grant.doubt();
				unanswered.add(grant);
			}
			else {
				grant.lose();
			}
		}
		this.passedOver = Stream.concat(locked.stream(), unanswered.stream()).toList();
		this.alone.renew(locked);
		// A waiter that the store has dropped joins again with its next question.
		waiters.forEach((waiter) -> this.waiting.computeIfPresent(waiter, (id, before) -> sentAt));
		this.log.answered(answer, contenders.size(), isOneOpen(unanswered));
	}

	private long retryNanos() {
		return Math.max(TimeUnit.MILLISECONDS.toNanos(20), this.leaseNanos / 60);
	}

	/** Return why leases of holds were not renewed, or {@code null} if they were. */
	@Nullable String failure() {
		return this.log.failure();
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
		catch (Throwable ex) {
			// The instance has stopped, or the watch begins again.
			this.looking.set(false);
		}
	}

	private void look() {
		this.holds.forEach(this::look);
		this.looking.set(false);
		if (!this.holds.isEmpty()) {
			lookSoon();
		}
	}

	private void look(LeaseGrant grant) {
		if (grant.isLost()) {
			grant.lose();
		}
		else {
			grant.tellState();
		}
	}

	/** Renew nothing any more, and end the holds that are left. */
	void close() {
		synchronized (this) {
			this.closed = true;
			cancelPlan();
		}
		closeHolds();
	}

	private void closeHolds() {
		List.copyOf(this.holds).forEach(LeaseGrant::close);
	}

}
