package io.interlock.lease;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.lease.LeaseLine.Place;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Requests of operators to holders of any instance. They are readers of a lock of their
 * own, so a store needs no column and no statement for them, and they end with their
 * leases. An instance with holds reads that lock four times within a lease, passes on
 * what is for one of its holds, and releases it.
 * <p>
 * Invariants: a request is passed on once; an instance that holds nothing, or does not
 * listen, asks nothing; a look that takes long, or fails, delays the next look only.
 */
final class LeaseRequests {

	static final LockId BOARD = new LockId(".revocations", null);

	private static final Log logger = LogFactory.getLog(LeaseRequests.class);

	private static final LeaseLine EMPTY = new LeaseLine("nothing", BOARD, true, true, List.of());

	/** Looks within a lease. */
	private static final int LOOKS = 4;

	private static final Duration SHORTEST = Duration.ofMinutes(1);

	private final LeaseConnection store;

	private final LeaseTime time;

	private final LeaseThreads threads;

	private final Supplier<List<LeaseGrant>> holds;

	private final Duration lease;

	private final long pauseNanos;

	private final AtomicBoolean looking = new AtomicBoolean();

	/** Changed by one look at a time. */
	private final Set<String> passedOn = new HashSet<>();

	private volatile @Nullable BiConsumer<LeaseGrant, HolderRequest> listener;

	private volatile long lookedAt;

	LeaseRequests(LeaseParts parts, Supplier<List<LeaseGrant>> holds) {
		this.store = parts.connection();
		this.time = parts.time();
		this.threads = parts.threads();
		this.holds = holds;
		Duration two = parts.settings().lease().multipliedBy(2);
		this.lease = (two.compareTo(SHORTEST) > 0) ? two : SHORTEST;
		this.pauseNanos = parts.settings().lease().toNanos() / LOOKS;
		this.lookedAt = parts.time().nanoTime();
	}

	/** Begin to look, and pass on what is for a hold of this instance. */
	void listen(BiConsumer<LeaseGrant, HolderRequest> listener) {
		this.listener = listener;
	}

	/** Add a request. Blocks until the store has answered. */
	void add(HolderRequest request) {
		LeaseContender reader = new LeaseContender(UUID.randomUUID().toString(), request.text(), BOARD, LockMode.SHARED,
				1, false);
		if (!this.store.acquireAtOnce(reader, this.lease)) {
			throw LeaseStoreException.lasting("a lock has the name '%s'".formatted(BOARD),
					"That name is reserved for requests by operators: give the lock another name", null);
		}
	}

	/** Look unless the last look is young. Does not block. */
	void lookWhenDue() {
		if (this.listener == null || this.time.nanoTime() - this.lookedAt < this.pauseNanos) {
			return;
		}
		this.lookedAt = this.time.nanoTime();
		if (this.holds.get().isEmpty() || !this.looking.compareAndSet(false, true)) {
			return;
		}
		if (!this.threads.tell(this::look)) {
			// The instance has stopped, or the next look finds a thread.
			this.looking.set(false);
		}
	}

	private void look() {
		try {
			LeaseLine line = this.store.line(BOARD).orElse(EMPTY);
			if (line.readable()) {
				this.passedOn.retainAll(line.places().stream().map(Place::contender).collect(Collectors.toSet()));
				Map<String, LeaseGrant> own = new HashMap<>();
				this.holds.get().forEach((hold) -> own.put(hold.contender().id(), hold));
				line.places().forEach((place) -> passOn(place, own));
				Set.copyOf(this.passedOn).forEach(this::forget);
			}
		}
		catch (RuntimeException ex) {
			logger.debug("Requests by operators could not be read; the next poll reads them", ex);
		}
		finally {
			this.looking.set(false);
		}
	}

	private void passOn(Place place, Map<String, LeaseGrant> own) {
		HolderRequest request = HolderRequest.parse(place.instance());
		LeaseGrant hold = (request != null) ? own.get(request.holder()) : null;
		BiConsumer<LeaseGrant, HolderRequest> listener = this.listener;
		if (request != null && hold != null && listener != null && !this.passedOn.contains(place.contender())
				&& this.threads.tell(() -> listener.accept(hold, request))) {
			this.passedOn.add(place.contender());
		}
	}

	private void forget(String contender) {
		this.store.forget(new LeaseContender(contender, "an operator", BOARD, LockMode.SHARED, 1, false));
	}

}
