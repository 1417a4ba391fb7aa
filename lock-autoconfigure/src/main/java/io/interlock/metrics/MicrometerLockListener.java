package io.interlock.metrics;

import java.time.Duration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockInterruptedException;
import io.interlock.LockListener;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.RevocationRequest;
import io.interlock.internal.PrintableText;
import io.interlock.metrics.LockSnapshots.Kind;
import io.interlock.template.HeldLocks;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.util.Assert;

/**
 * Records acquisitions, holds and losses of locks in a {@link MeterRegistry}. Meters
 * carry the name and the mode of a lock, and that of a provider which is not the default
 * one, but never its key, of which there may be any number. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public class MicrometerLockListener implements LockListener {

	/** Largest number of names with meters, unless another one is chosen. */
	public static final int DEFAULT_MAX_NAMES = 1_000;

	private static final Log logger = LogFactory.getLog(MicrometerLockListener.class);

	private final MeterRegistry registry;

	private final LockSnapshots snapshots;

	private final int maxNames;

	private final Map<Kind, Meters> meters = new ConcurrentHashMap<>();

	private final Set<String> names = new HashSet<>();

	private boolean told;

	/** For names without meters. */
	private final Meters unmetered;

	/** Create a listener for the locks that this instance holds and waits for. */
	public MicrometerLockListener(MeterRegistry registry, HeldLocks heldLocks) {
		this(registry, heldLocks, DEFAULT_MAX_NAMES);
	}

	/**
	 * Create a listener that limits the number of its meters.
	 * @param maxNames how many names of locks have meters; further ones are locks as
	 * others, and the first of them is warned of
	 */
	public MicrometerLockListener(MeterRegistry registry, HeldLocks heldLocks, int maxNames) {
		Assert.notNull(registry, "'registry' must not be null");
		Assert.notNull(heldLocks, "'heldLocks' must not be null");
		this.registry = registry;
		this.snapshots = new LockSnapshots(heldLocks::held, heldLocks::waiting, System::nanoTime);
		this.maxNames = maxNames;
		this.unmetered = new Meters(new CompositeMeterRegistry(), new Kind("", null, LockMode.EXCLUSIVE),
				this.snapshots);
	}

	@Override
	public void onWaiting(LockRequest request) {
		meters(request).waiting.increment();
	}

	@Override
	public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
		meters(request).acquired(handle, waited);
	}

	@Override
	public void onNotAcquired(LockRequest request, Duration waited) {
		meters(request).ended(Meters.Outcome.NOT_ACQUIRED, true, waited);
	}

	@Override
	public void onFailure(LockRequest request, LockException failure) {
		meters(request).ended(Meters.Outcome.of(failure), false, failure.waited());
	}

	@Override
	public void onReleased(LockHandle handle, Duration held) {
		meters(handle).released(held);
	}

	@Override
	public void onLost(LockHandle handle) {
		meters(handle).lost.increment();
	}

	@Override
	public void onFencedTransaction(LockHandle handle, boolean passed) {
		if (!passed) {
			meters(handle).refused.increment();
		}
	}

	@Override
	public void onOverdue(LockHandle handle, Duration held) {
		meters(handle).overdue.increment();
	}

	@Override
	public void onRevocationRequested(LockHandle handle, RevocationRequest request) {
		meters(handle).revocationRequests.increment();
	}

	private Meters meters(LockRequest request) {
		return meters(request.id(), request.mode());
	}

	private Meters meters(LockHandle handle) {
		return meters(handle.id(), handle.mode());
	}

	private Meters meters(LockId id, LockMode mode) {
		// get first: computeIfAbsent may lock even if the entry is there
		Kind kind = new Kind(id.name(), id.provider(), mode);
		Meters known = this.meters.get(kind);
		if (known != null) {
			return known;
		}
		return isMetered(id.name())
				? this.meters.computeIfAbsent(kind, (added) -> new Meters(this.registry, added, this.snapshots))
				: this.unmetered;
	}

	private boolean isMetered(String name) {
		synchronized (this.names) {
			if (this.names.contains(name)) {
				return true;
			}
			if (this.names.size() < this.maxNames) {
				return this.names.add(name);
			}
			if (this.told) {
				return false;
			}
			this.told = true;
		}
		logger.warn(("Lock '%s' and further ones have no meters, because %d lock names already have them. Put the part "
				+ "of a name that varies, such as an id, into the key: 'key' of the annotation, or "
				+ "LockRequest.withKey")
			.formatted(PrintableText.of(name), this.maxNames));
		return false;
	}

	/**
	 * The meters of one lock name and mode, looked up once, because building tags costs
	 * more than recording a call. All but the timers of the acquisition are registered at
	 * once, so that a first loss shows as an increase.
	 */
	private static final class Meters {

		private final MeterRegistry registry;

		private final LockSnapshots snapshots;

		private final Tags tags;

		private final Map<Acquisition, Timer> acquisitions = new ConcurrentHashMap<>();

		final LongAdder waiting;

		private final LongAdder held;

		private final Timer hold;

		final Counter lost;

		final Counter refused;

		final Counter overdue;

		final Counter revocationRequests;

		private final Counter handoffs;

		Meters(MeterRegistry registry, Kind kind, LockSnapshots snapshots) {
			this.registry = registry;
			this.snapshots = snapshots;
			this.tags = Tags.of("name", kind.name(), "mode", kind.mode().name().toLowerCase(Locale.ROOT))
				.and(LockStoreMetrics.tagsOf(kind.provider()));
			this.waiting = gauge("interlock.waiting", "Threads waiting for a lock", "threads");
			this.held = gauge("interlock.held", "Locks held, including lost and kept ones until their release",
					"locks");
			oldest("interlock.oldest.wait", "Longest current wait", (locks) -> locks.oldestWait(kind));
			oldest("interlock.oldest.hold", "Age of the oldest hold that has a holder",
					(locks) -> locks.oldestHold(kind));
			Gauge.builder("interlock.wait.ratio", snapshots, (locks) -> locks.waitRatio(kind))
				.description("Largest share of its wait time that a current wait has used")
				.baseUnit("ratio")
				.tags(this.tags)
				.strongReference(true)
				.register(registry);
			this.hold = Timer.builder("interlock.hold")
				.description("Time from the grant of a lock to the end of its hold")
				.tags(this.tags)
				.register(registry);
			this.lost = counter("interlock.lost", "Locks lost while they were held");
			this.refused = counter("interlock.transactions.refused", "Transactions refused by the fence of a lock");
			this.handoffs = counter("interlock.handoffs", "Locks handed over between threads of this instance");
			this.overdue = counter("interlock.overdue", "Locks held for longer than their maximum hold time");
			this.revocationRequests = counter("interlock.revocation.requests",
					"Requests to holders of this instance to give up a lock");
		}

		void acquired(LockHandle handle, Duration waited) {
			ended(Outcome.ACQUIRED, handle.contended(), waited);
			this.held.increment();
			if (handle.handoff() > 0) {
				this.handoffs.increment();
			}
		}

		void ended(Outcome outcome, boolean contended, Duration waited) {
			this.waiting.decrement();
			acquisition(new Acquisition(outcome, contended)).record(waited);
		}

		void released(Duration held) {
			this.held.decrement();
			this.hold.record(held);
		}

		private Timer acquisition(Acquisition acquisition) {
			// get first: computeIfAbsent may lock even if the entry is there
			Timer timer = this.acquisitions.get(acquisition);
			return (timer != null) ? timer : this.acquisitions.computeIfAbsent(acquisition, this::timer);
		}

		private Timer timer(Acquisition acquisition) {
			return Timer.builder("interlock.acquire")
				.description("Time from a request for a lock to its outcome")
				.tags(this.tags)
				.tag("outcome", acquisition.outcome().name().toLowerCase(Locale.ROOT))
				.tag("contended", Boolean.toString(acquisition.contended()))
				.register(this.registry);
		}

		private void oldest(String meter, String description, ToDoubleFunction<LockSnapshots> millis) {
			TimeGauge.builder(meter, this.snapshots, TimeUnit.MILLISECONDS, millis)
				.description(description)
				.tags(this.tags)
				.strongReference(true)
				.register(this.registry);
		}

		private Counter counter(String name, String description) {
			return Counter.builder(name)
				.description(description)
				.baseUnit("locks")
				.tags(this.tags)
				.register(this.registry);
		}

		private LongAdder gauge(String name, String description, String baseUnit) {
			LongAdder value = new LongAdder();
			Gauge.builder(name, value, LongAdder::sum)
				.description(description)
				.baseUnit(baseUnit)
				.tags(this.tags)
				.strongReference(true)
				.register(this.registry);
			return value;
		}

		private record Acquisition(Outcome outcome, boolean contended) {

		}

		enum Outcome {

			ACQUIRED, NOT_ACQUIRED, UNAVAILABLE, INTERRUPTED, FAILED;

			static Outcome of(LockException failure) {
				if (failure instanceof LockServiceUnavailableException) {
					return UNAVAILABLE;
				}
				return (failure instanceof LockInterruptedException) ? INTERRUPTED : FAILED;
			}

		}

	}

}
