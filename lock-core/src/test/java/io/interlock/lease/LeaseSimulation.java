package io.interlock.lease;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * One schedule of a few contenders in a few instances on one store, on one thread and
 * without real time. A seed decides who contends, which faults there are and when, how
 * long each thing takes, and which comes first of those that are due; the same seed
 * repeats the schedule. What blocks lets the rest go on in the meantime, so of two
 * requests under way at once the one that began last ends first. Faults end, and the
 * contenders then have time to end too.
 */
final class LeaseSimulation {

	/** Made once, because a stack trace takes long. */
	static final OutOfMemoryError NO_MEMORY = new OutOfMemoryError("of the simulation");

	static final long MILLIS = 1_000_000;

	static final Duration LEASE = Duration.ofSeconds(2);

	static final long LEASE_NANOS = LEASE.toNanos();

	private static final long FAULTS_NANOS = 3 * LEASE_NANOS;

	/** Time after which no contender may be under way. */
	private static final long END_NANOS = 40 * LEASE_NANOS;

	/** Quarters of a lease after which nothing may be left of the contenders. */
	private static final int QUARTERS = 4 * 5;

	private static final long CLEAN_NANOS = Duration.ofMinutes(10).toNanos();

	/** So many things may block at once. */
	private static final int DEEPEST = 5;

	final SplittableRandom random;

	/** Whether the client of the store needs no threads. */
	final boolean asynchronous;

	final LeaseSimulationChecks checks = new LeaseSimulationChecks(this);

	final SimulatedLeases leases;

	final List<SimulatedLeaseInstance> instances = new ArrayList<>(3);

	private final @Nullable List<String> trace;

	private final PriorityQueue<Event> events = new PriorityQueue<>();

	private final List<SimulatedLeaseContender> contenders = new ArrayList<>(4);

	private final Window[] windows = new Window[Fault.ALL.length];

	private long now;

	private long lastEvent;

	private int depth;

	private int steps;

	/**
	 * Create a schedule.
	 * @param seed decides everything
	 * @param focus the only faults that there are; empty for some of all
	 */
	LeaseSimulation(long seed, Set<Fault> focus) {
		this(seed, focus, null);
	}

	private LeaseSimulation(long seed, Set<Fault> focus, @Nullable List<String> trace) {
		this.random = new SplittableRandom(seed);
		this.asynchronous = seed % 3 == 0;
		this.trace = trace;
		this.leases = new SimulatedLeases(this, !focus.isEmpty() || chance(3));
	}

	private void begin(Set<Fault> focus) {
		int count = pick(1, 2, 2, 3);
		int kind = this.random.nextInt(4);
		for (int i = 0; i < count; i++) {
			this.instances.add(new SimulatedLeaseInstance(this, i, chance(20)));
		}
		int attempts = pick(2, 3, 3, 4);
		for (int i = 0; i < attempts; i++) {
			this.contenders.add(new SimulatedLeaseContender(this, i, this.instances.get(this.random.nextInt(count)),
					kind, pick(1, 1, 2, 3)));
		}
		int rare = pick(1, 2, 4);
		for (Fault fault : Fault.ALL) {
			if (focus.isEmpty() ? chance(rare + 1) : focus.contains(fault)) {
				begin(fault);
			}
		}
	}

	private void begin(Fault fault) {
		long from = this.random.nextLong(FAULTS_NANOS);
		long length = pick(30, 300, 1000, 4000) * MILLIS;
		this.windows[fault.ordinal()] = new Window(from, Math.min(FAULTS_NANOS, from + length), pick(1, 2, 5, 10));
		switch (fault) {
			case PAUSE -> at(from, null, "pause", () -> anyInstance().pause(length));
			case CLOSE -> at(from, null, "close", () -> anyInstance().close());
			case FAIL_OVER ->
				at(from, null, "fail-over", () -> this.leases.failOver(this.random.nextLong(1000) * MILLIS));
			default -> {
			}
		}
	}

	private SimulatedLeaseInstance anyInstance() {
		return this.instances.get(this.random.nextInt(this.instances.size()));
	}

	int pick(int... values) {
		return values[this.random.nextInt(values.length)];
	}

	/** Return {@code true} once in so many times. */
	boolean chance(int oneIn) {
		return this.random.nextInt(oneIn) == 0;
	}

	/** Return whether a fault comes now, that all instances may feel. */
	boolean strikesAll(Fault fault) {
		if (!strikes(fault, this.instances.get(0))) {
			return false;
		}
		this.instances.forEach((instance) -> instance.struck(fault));
		return true;
	}

	/** Return whether a fault comes now. */
	boolean strikes(Fault fault, SimulatedLeaseInstance instance) {
		Window window = this.windows[fault.ordinal()];
		if (window == null || this.now < window.from || this.now >= window.to || !chance(window.oneIn)) {
			return false;
		}
		tell(() -> "%s in instance %d".formatted(fault, instance.number));
		instance.struck(fault);
		return true;
	}

	long now() {
		return this.now;
	}

	boolean isNested() {
		return this.depth > 1;
	}

	boolean isDeep() {
		return this.depth >= DEEPEST;
	}

	void tell(Supplier<String> told) {
		if (this.trace != null) {
			String line = told.get();
			this.trace.add(withoutPrefixes(
					"%5d %10.3f %s%s".formatted(this.steps, this.now / 1e9, "  ".repeat(this.depth), line)));
		}
	}

	/** Remove from identifiers what differs from run to run. */
	private static String withoutPrefixes(String line) {
		return line.replaceAll("[0-9a-f]{8}-[0-9a-f-]{27}-", "");
	}

	/**
	 * Do something at a time.
	 * @param at when
	 * @param instance the instance that does it, if it is one, which may stand still then
	 * @param what it is, for the trace
	 * @param action what to do
	 */
	Event at(long at, @Nullable SimulatedLeaseInstance instance, String what, Runnable action) {
		Event event = new Event(at, this.random.nextInt(), this.lastEvent++, instance, what, action);
		this.events.add(event);
		return event;
	}

	void again(Event event, long at) {
		event.at = at;
		this.events.add(event);
	}

	/**
	 * Let time pass, and do what is due in it.
	 * @param nanos how long
	 * @param end what ends it earlier
	 */
	void pass(long nanos, BooleanSupplier end) {
		long until = this.now + Math.max(0, nanos);
		this.depth++;
		while (this.checks.violation() == null && !end.getAsBoolean()) {
			Event next = this.events.peek();
			if (next == null || next.at > until) {
				break;
			}
			this.events.remove();
			if (!next.cancelled) {
				this.now = Math.max(this.now, next.at);
				act(next);
			}
		}
		this.depth--;
		if (!end.getAsBoolean() || this.checks.violation() != null) {
			this.now = Math.max(this.now, until);
		}
	}

	private void act(Event event) {
		if (event.instance != null && event.instance.pausedUntil > this.now) {
			again(event, event.instance.pausedUntil);
			return;
		}
		this.steps++;
		if (this.trace != null) {
			tell(() -> ((event.instance != null) ? "instance " + event.instance.number + ": " : "") + event.what);
		}
		event.action.run();
		this.checks.check();
	}

	/**
	 * Run the schedule.
	 * @return what was violated, or {@code null}
	 */
	@Nullable String run(Set<Fault> focus) {
		SimulatedLeaseLog.during(this, () -> {
			begin(focus);
			this.contenders.forEach(SimulatedLeaseContender::begin);
			pass(END_NANOS, this::areAllEnded);
			if (!areAllEnded()) {
				this.checks.violated("no end: " + this.contenders);
			}
			pass(LEASE_NANOS / 10, () -> false);
			this.checks.checkStore();
			for (int left = QUARTERS; left > 0 && !this.checks.isNothingLeft(); left--) {
				pass(LEASE_NANOS / 4, () -> false);
			}
			this.checks.checkEnd();
			if (this.checks.violation() == null && chance(500)) {
				this.leases.cleaned = 0;
				pass(2 * CLEAN_NANOS + LEASE_NANOS, () -> false);
				this.checks.checkCleaning();
			}
		});
		return this.checks.violation();
	}

	private boolean areAllEnded() {
		for (SimulatedLeaseContender contender : this.contenders) {
			if (!contender.isEnded()) {
				return false;
			}
		}
		return true;
	}

	/** Return how many attempts were granted. */
	int grants() {
		return this.checks.grants();
	}

	/**
	 * Run schedules until one violates a promise.
	 * @param schedules how many at the most
	 * @param focus names of the only faults that there are; empty for some of all
	 * @return number of the schedules that it took and what was violated; empty if
	 * nothing was
	 */
	static Map<Integer, String> hunt(int schedules, List<String> focus) {
		Set<Fault> faults = faults(focus);
		for (int seed = 1; seed <= schedules; seed++) {
			String violation = new LeaseSimulation(seed, faults).run(faults);
			if (violation != null) {
				return Map.of(seed, violation);
			}
		}
		return Map.of();
	}

	/**
	 * Run a schedule, and write down each step.
	 * @return the steps, and what was violated
	 */
	static List<String> trace(long seed, Set<Fault> focus) {
		List<String> trace = new ArrayList<>();
		trace.add("seed " + seed + (focus.isEmpty() ? "" : " with " + EnumSet.copyOf(focus)));
		String violation = new LeaseSimulation(seed, focus, trace).run(focus);
		trace.add((violation != null) ? "VIOLATION: " + withoutPrefixes(violation) : "no violation");
		return trace;
	}

	static Set<Fault> faults(List<String> names) {
		Set<Fault> faults = EnumSet.noneOf(Fault.class);
		names.forEach((name) -> faults.add(Fault.valueOf(name)));
		return faults;
	}

	/**
	 * What makes a schedule differ from the straight way, for some time.
	 */
	enum Fault {

		/** The store is not reached. */
		BEFORE,

		/** The store has done what was asked for, and its answer is lost. */
		AFTER,

		/** The store refuses, for good as it says. */
		REFUSAL,

		/** The answer takes up to two leases. */
		LATE,

		/** A thread cannot be started. */
		NO_THREAD,

		/** No memory where a task is handed over, in a request or in a log line. */
		NO_MEMORY,

		/** The listener of a hold fails. */
		LISTENER,

		/** An instance stands still. */
		PAUSE,

		/** The store forgets up to its last second. */
		FAIL_OVER,

		/** An instance is closed. */
		CLOSE,

		/** A renewal passes over a hold, whose row it finds locked. */
		PASSED_OVER,

		/** A part of the store does not answer a renewal. */
		PART;

		private static final Fault[] ALL = values();

	}

	/**
	 * When a fault may come.
	 *
	 * @param from from when
	 * @param to until when
	 * @param oneIn how seldom it comes
	 */
	private record Window(long from, long to, int oneIn) {

	}

	/**
	 * What is done at a time.
	 */
	static final class Event implements Comparable<Event> {

		private final int order;

		private final long number;

		private final @Nullable SimulatedLeaseInstance instance;

		private final String what;

		private final Runnable action;

		private long at;

		boolean cancelled;

		Event(long at, int order, long number, @Nullable SimulatedLeaseInstance instance, String what,
				Runnable action) {
			this.at = at;
			this.order = order;
			this.number = number;
			this.instance = instance;
			this.what = what;
			this.action = action;
		}

		@Override
		public int compareTo(Event other) {
			int byTime = Long.compare(this.at, other.at);
			int byOrder = (byTime != 0) ? byTime : Integer.compare(this.order, other.order);
			return (byOrder != 0) ? byOrder : Long.compare(this.number, other.number);
		}

	}

}
