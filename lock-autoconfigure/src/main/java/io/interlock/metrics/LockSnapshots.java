package io.interlock.metrics;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.interlock.LockMode;
import io.interlock.template.LockSnapshot;
import org.jspecify.annotations.Nullable;

/**
 * What gauges show of the locks that are held and waited for, from one snapshot for all
 * gauges of a scrape. Invariant: a snapshot serves each gauge once, and for a second at
 * most; a gauge that is read again belongs to the next scrape. Safe for use by many
 * threads.
 */
final class LockSnapshots {

	private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final Supplier<List<LockSnapshot>> held;

	private final Supplier<List<LockSnapshot>> waiting;

	private final LongSupplier nanoTime;

	private @Nullable Snapshot current;

	LockSnapshots(Supplier<List<LockSnapshot>> held, Supplier<List<LockSnapshot>> waiting, LongSupplier nanoTime) {
		this.held = held;
		this.waiting = waiting;
		this.nanoTime = nanoTime;
	}

	/** Return the milliseconds since the oldest hold that has a holder; zero if none. */
	double oldestHold(Kind kind) {
		return age(snapshot(Gauge.OLDEST_HOLD, kind).holds.get(kind));
	}

	/** Return the milliseconds since the oldest wait began; zero if there is none. */
	double oldestWait(Kind kind) {
		return age(snapshot(Gauge.OLDEST_WAIT, kind).waits.get(kind));
	}

	/** Return the largest share of its wait time that a wait has used. */
	double waitRatio(Kind kind) {
		return snapshot(Gauge.WAIT_RATIO, kind).ratios.getOrDefault(kind, 0.0);
	}

	private static double age(@Nullable Instant since) {
		return (since != null) ? Math.max(0, Duration.between(since, Instant.now()).toMillis()) : 0;
	}

	private synchronized Snapshot snapshot(Gauge gauge, Kind kind) {
		long now = this.nanoTime.getAsLong();
		Snapshot snapshot = this.current;
		if (snapshot == null || now - snapshot.takenAt > LIMIT_NANOS
				|| !snapshot.served.add(new Reading(gauge, kind))) {
			snapshot = new Snapshot(now, this.held.get(), this.waiting.get());
			snapshot.served.add(new Reading(gauge, kind));
			this.current = snapshot;
		}
		return snapshot;
	}

	/** What locks have in common for which there is one of each gauge. */
	record Kind(String name, @Nullable String provider, LockMode mode) {

		private static Kind of(LockSnapshot lock) {
			return new Kind(lock.id().name(), lock.id().provider(), lock.mode());
		}

	}

	private enum Gauge {

		OLDEST_HOLD, OLDEST_WAIT, WAIT_RATIO

	}

	private record Reading(Gauge gauge, Kind kind) {

	}

	private static final class Snapshot {

		private final long takenAt;

		private final Set<Reading> served = new HashSet<>();

		private final Map<Kind, Instant> holds = new HashMap<>();

		private final Map<Kind, Instant> waits = new HashMap<>();

		private final Map<Kind, Double> ratios = new HashMap<>();

		/** Both lists have the oldest first. */
		Snapshot(long takenAt, List<LockSnapshot> held, List<LockSnapshot> waiting) {
			this.takenAt = takenAt;
			held.stream()
				.filter((lock) -> lock.keptUntil() == null)
				.forEach((lock) -> this.holds.putIfAbsent(Kind.of(lock), lock.since()));
			Instant now = Instant.now();
			for (LockSnapshot wait : waiting) {
				Kind kind = Kind.of(wait);
				this.waits.putIfAbsent(kind, wait.since());
				this.ratios.merge(kind, ratio(wait, now), Math::max);
			}
		}

		private static double ratio(LockSnapshot wait, Instant now) {
			Instant end = wait.waitsUntil();
			if (end == null) {
				return 0;
			}
			double used = Duration.between(wait.since(), now).toMillis();
			double limit = Duration.between(wait.since(), end).toMillis();
			return (limit > 0) ? Math.min(1, Math.max(0, used / limit)) : 0;
		}

	}

}
