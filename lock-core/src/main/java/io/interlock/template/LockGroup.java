package io.interlock.template;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.interlock.LockId;
import io.interlock.LockInterruptedException;
import io.interlock.LockMode;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Locks that one thread acquires together. Invariants: when {@link #acquire} returns
 * handles, the thread holds all of them, and otherwise none that was acquired here. The
 * thread waits only for the first lock that it does not hold, in the order of all
 * instances, and holds none behind that one meanwhile, so that groups never wait for each
 * other in a circle.
 */
final class LockGroup {

	private static final Comparator<LockId> ORDER = Comparator.comparing(LockId::name)
		.thenComparing(LockId::key, Comparator.nullsFirst(Comparator.naturalOrder()))
		.thenComparing(LockId::provider, Comparator.nullsFirst(Comparator.naturalOrder()));

	private final TemplateParts parts;

	private final Ahead ahead;

	private final List<LockRequest> requests;

	private final long startedAt = System.nanoTime();

	private final long limitNanos;

	private @Nullable BlockingAcquisition refused;

	LockGroup(Collection<LockRequest> requests, Duration defaultWaitTime, TemplateParts parts) {
		Assert.notEmpty(requests, "'requests' must not be empty");
		Assert.noNullElements(requests, "'requests' must not contain null");
		LockSettings settings = parts.settings();
		this.parts = parts;
		this.ahead = new Ahead(parts.provider(), new HashMap<>());
		this.requests = inOrder(requests);
		Assert.isTrue(this.requests.size() <= settings.maxKeys(),
				() -> ("%d locks were requested at once, starting with %s, but at most %d are allowed. Request "
						+ "fewer, or raise 'interlock.max-keys'")
					.formatted(this.requests.size(), this.requests.get(0).id(), settings.maxKeys()));
		this.limitNanos = this.requests.stream()
			.mapToLong((request) -> TimeUnit.NANOSECONDS.convert(settings.waitTime(request, defaultWaitTime)))
			.min()
			.orElseThrow();
	}

	private static List<LockRequest> inOrder(Collection<LockRequest> requests) {
		TreeMap<LockId, LockRequest> byId = new TreeMap<>(ORDER);
		requests.forEach((request) -> byId.merge(request.id(), request, LockGroup::merge));
		return List.copyOf(byId.values());
	}

	/** Merge two requests: exclusive before shared, the longest of the minimum times. */
	private static LockRequest merge(LockRequest first, LockRequest other) {
		LockRequest merged = (first.mode() == other.mode() || first.mode() == LockMode.EXCLUSIVE) ? first : other;
		return Stream.of(first, other)
			.map(LockRequest::minHold)
			.filter(Objects::nonNull)
			.max(Comparator.naturalOrder())
			.map(merged::withMinHold)
			.orElse(merged);
	}

	Optional<HoldHandles> acquire() {
		this.requests.forEach(this::checkUpgrade);
		this.parts.staleReads().check(this.requests.get(0));
		List<HoldHandle> acquired = new ArrayList<>(this.requests.size());
		try {
			for (LockRequest request : this.requests) {
				beginAhead(this.requests.subList(acquired.size(), this.requests.size()));
				Optional<HoldHandle> handle = acquire(request);
				if (handle.isEmpty()) {
					giveUp(acquired);
					return Optional.empty();
				}
				acquired.add(handle.get());
				handle.get().beginBody();
			}
			settle(acquired);
			keepInTransaction(acquired);
			return Optional.of(new HoldHandles(acquired));
		}
		catch (RuntimeException | Error ex) {
			giveUp(acquired);
			if (ex instanceof LockInterruptedException) {
				// The interrupt may be that of a loss of one of the locks.
				acquired.forEach((handle) -> handle.hold().throwIfLost());
			}
			throw ex;
		}
	}

	private void keepInTransaction(List<HoldHandle> acquired) {
		List<HoldHandle> kept = new ArrayList<>();
		for (int i = 0; i < acquired.size(); i++) {
			HoldHandle handle = acquired.get(i);
			if (TransactionHold.keep(handle.hold(), this.requests.get(i))) {
				kept.add(handle);
			}
			else {
				TransactionHold.tellAcquiredAgain(handle.hold());
			}
		}
		if (!kept.isEmpty()) {
			TransactionHold.tellKept(kept);
		}
	}

	private void giveUp(List<HoldHandle> acquired) {
		this.ahead.giveUp();
		new HoldHandles(acquired).giveBack();
	}

	LockNotAcquiredException notAcquired() {
		BlockingAcquisition acquisition = this.refused;
		Assert.state(acquisition != null, "No lock was refused");
		return this.parts.heldLocks().refusal(acquisition, waited());
	}

	private void checkUpgrade(LockRequest request) {
		Hold own = LockContext.findHold(request.id(), this.parts.heldLocks());
		if (own != null && !own.covers(request)) {
			throw Failures.upgrade(request);
		}
	}

	/** Begin the rest together: if all are free, the answers take the time of one. */
	private void beginAhead(List<LockRequest> left) {
		if (this.ahead.begun().isEmpty() && !this.parts.heldLocks().isStopped()) {
			List<LockRequest> notHeld = left.stream()
				.filter((request) -> LockContext.findHold(request.id(), this.parts.heldLocks()) == null)
				.toList();
			if (notHeld.size() > 1) {
				this.ahead.begin(notHeld);
			}
		}
	}

	private Optional<HoldHandle> acquire(LockRequest request) {
		HoldHandle joined = LockContext.join(request, this.parts.heldLocks());
		if (joined != null) {
			return Optional.of(joined);
		}
		BlockingAcquisition acquisition = new BlockingAcquisition(request.withWaitTime(left()), this.parts);
		Hold hold = acquisition.acquire(this.ahead);
		this.refused = (hold == null) ? acquisition : null;
		return Optional.ofNullable(hold).map(Hold::outermost);
	}

	/** Wait until all are valid: the first may be in doubt when the last is granted. */
	private void settle(List<HoldHandle> acquired) {
		do {
			for (int i = 0; i < acquired.size(); i++) {
				LockRequest request = this.requests.get(i).withWaitTime(left());
				new BlockingAcquisition(request, this.parts).settle(acquired.get(i).hold());
			}
		}
		while (!acquired.stream().allMatch(HoldHandle::isValid));
	}

	private Duration left() {
		return (this.limitNanos == Long.MAX_VALUE) ? LockRequest.FOREVER
				: Duration.ofNanos(Math.max(0, this.limitNanos - waited().toNanos()));
	}

	private Duration waited() {
		return Duration.ofNanos(System.nanoTime() - this.startedAt);
	}

}
