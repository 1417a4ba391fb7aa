package io.interlock.template;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.interlock.LockHandle;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.RevocationRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The locks that threads of this JVM hold and wait for through one {@link LockTemplate},
 * and the switch that stops acquisitions. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class HeldLocks {

	private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final long LEAK_LOOK_NANOS = TimeUnit.SECONDS.toNanos(10);

	private final LockTime time;

	private final HoldLog log;

	private final Set<Hold> holds = ConcurrentHashMap.newKeySet();

	private final Set<Wait> waiting = ConcurrentHashMap.newKeySet();

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition released = this.lock.newCondition();

	private final AtomicBoolean looksForLeaks = new AtomicBoolean();

	private final MinHolds minHolds = new MinHolds(
			() -> this.holds.stream().flatMap((hold) -> Stream.ofNullable(hold.kept())), this::wakeShutdown);

	private volatile boolean awaited;

	private volatile boolean stopped;

	/** Create an empty registry that uses the time of the system. */
	public HeldLocks() {
		this(LockTime.system());
	}

	/** Create an empty registry whose holds and waits use another time. */
	public HeldLocks(LockTime time) {
		Assert.notNull(time, "'time' must not be null");
		this.time = time;
		this.log = new HoldLog(time);
	}

	HoldParts parts(LockSettings settings, LockListeners listeners) {
		return new HoldParts(this.time, settings, listeners, this.log, this.minHolds);
	}

	LockTime time() {
		return this.time;
	}

	/** Return a snapshot of the held locks, oldest first. Joining adds no entry. */
	public List<LockSnapshot> held() {
		return snapshot(this.holds, (hold) -> hold.snapshot(false));
	}

	/**
	 * Return some of the locks that are held, oldest first, with the current stack of the
	 * threads that acquired them, unless they are detached. Each of these threads, and no
	 * other, stops for a moment.
	 * @param name name of the locks, or {@code null} for all names
	 * @param limit largest number of locks
	 */
	public List<LockSnapshot> heldWithStacks(@Nullable String name, int limit) {
		return this.holds.stream()
			.filter((hold) -> name == null || name.equals(hold.shown().id().name()))
			.sorted(Comparator.comparing((hold) -> hold.shown().acquiredAt()))
			.limit(limit)
			.map((hold) -> hold.snapshot(true))
			.toList();
	}

	/** Return a snapshot of the locks that are waited for, oldest first. */
	public List<LockSnapshot> waiting() {
		return snapshot(this.waiting, Wait::snapshot);
	}

	/**
	 * Ask holders to give their lock up, on the calling thread, one after the other.
	 * Locks that nothing but their {@link LockRequest#minHold() minimum time} keeps are
	 * released before that.
	 * @param meant which holds are meant
	 * @return how many were asked
	 */
	public int requestRevocation(Predicate<LockHandle> meant, RevocationRequest request) {
		List<Hold> asked = this.holds.stream().filter((hold) -> meant.test(hold.shown())).toList();
		List<Runnable> released = asked.stream().map(Hold::endKept).toList();
		asked.forEach((hold) -> hold.requestRevocation(request));
		released.forEach(Runnable::run);
		return asked.size();
	}

	/** Return whether any hold is meant. */
	public boolean holds(Predicate<LockHandle> meant) {
		return this.holds.stream().anyMatch((hold) -> meant.test(hold.shown()));
	}

	private static <T> List<LockSnapshot> snapshot(Set<T> entries, Function<T, LockSnapshot> snapshot) {
		return entries.stream().map(snapshot).sorted(Comparator.comparing(LockSnapshot::since)).toList();
	}

	/** Note a hold in place of its acquisition: a shutdown sees at least one of them. */
	void replace(Wait wait, Hold hold) {
		this.holds.add(hold);
		this.waiting.remove(wait);
	}

	boolean contains(Hold hold) {
		return this.holds.contains(hold);
	}

	void remove(Hold hold) {
		this.holds.remove(hold);
		wakeShutdown();
	}

	private void wakeShutdown() {
		if (this.awaited) {
			this.lock.lock();
			try {
				this.released.signalAll();
			}
			finally {
				this.lock.unlock();
			}
		}
	}

	/** One look every ten seconds serves all handles, as long as anything is held. */
	void watchForLeaks() {
		if (!this.looksForLeaks.get() && this.looksForLeaks.compareAndSet(false, true)) {
			this.time.timer().after(LEAK_LOOK_NANOS, () -> AsyncThreads.execute(this::lookForLeaks));
		}
		else {
			this.time.timer().resume();
		}
	}

	void lookForLeaks() {
		this.looksForLeaks.set(false);
		this.holds.forEach((hold) -> hold.holder().warnIfLeaked(hold.grant().request().id(), hold.acquiredAt()));
		if (isAnyHeld()) {
			watchForLeaks();
		}
	}

	void add(Wait wait) {
		this.waiting.add(wait);
	}

	void remove(Wait wait) {
		if (this.waiting.remove(wait)) {
			wakeShutdown();
		}
	}

	/**
	 * Refuse acquisitions and fail waiters with
	 * {@link io.interlock.LockServiceUnavailableException}, because the instance is about
	 * to stop. Holds stay.
	 */
	public void stop() {
		this.stopped = true;
		this.waiting.forEach(Wait::stop);
	}

	/**
	 * Allow acquisitions again after {@link #stop()}, because the instance starts again.
	 * It releases the locks that were left to the servers when their time is over.
	 */
	public void start() {
		this.stopped = false;
		this.minHolds.keepAll();
	}

	/** Release what nothing but its {@link LockRequest#minHold() minimum time} keeps. */
	public void releaseKept() {
		this.minHolds.end();
	}

	/**
	 * Like {@link #releaseKept()}, and keep no other lock until {@link #start()}. Locks
	 * that are about to be left to the servers stay.
	 */
	public void keepNone() {
		this.minHolds.keepNone();
	}

	/**
	 * Leave the locks that nothing but their {@link LockRequest#minHold() minimum time}
	 * keeps to the servers, if those keep them without this instance, until
	 * {@link #start()}.
	 * @param releaseOthers whether to release those that the servers do not keep
	 */
	public void leaveKept(boolean releaseOthers) {
		this.minHolds.leave(releaseOthers);
	}

	/**
	 * Return a snapshot of the locks that were left to the servers, oldest first: they
	 * stay taken when this instance has ended.
	 */
	public List<LockSnapshot> left() {
		return snapshot(this.holds.stream().filter(Hold::isLeft).collect(Collectors.toSet()),
				(hold) -> hold.snapshot(false));
	}

	boolean isStopped() {
		return this.stopped;
	}

	/** A lost hold is in no request's way; permits are if all of them are held here. */
	@Nullable String holderBefore(LockRequest request) {
		Hold holder = LockOrderCheck.holdBefore(request, this.holds);
		return (holder != null) ? holder.heldBy() : null;
	}

	/** Return what a caller is told that was refused after some time. */
	LockNotAcquiredException refusal(Wait refused, Duration waited) {
		return new Contention(refused, this.holds, this.waiting).refusal(waited);
	}

	/** Refuse an endless wait. A thread without holds is in no other thread's way. */
	void checkOrder(Wait wait) {
		new LockOrderCheck(this.holds, this.waiting, wait.thread()).check(wait);
	}

	/**
	 * Wait until nothing is held or waited for any more. Holds of the calling thread, of
	 * threads that have ended, and of threads that have called {@link System#exit} end at
	 * once, because nothing else would end them: their handles are lost.
	 * @return whether nothing is held or waited for
	 */
	public boolean awaitReleased(Duration timeout) throws InterruptedException {
		long deadline = System.nanoTime() + timeout.toNanos();
		this.awaited = true;
		try {
			return awaitIdle(deadline);
		}
		finally {
			this.log.tellRest();
		}
	}

	private boolean awaitIdle(long deadline) throws InterruptedException {
		while (true) {
			// Listeners are told, which may wait for a thread that needs the lock below.
			HoldEnd.together(List.copyOf(this.holds), Hold::endIfStuck);
			this.lock.lock();
			try {
				long left = deadline - System.nanoTime();
				if (isIdle() || left <= 0) {
					return isIdle();
				}
				this.released.awaitNanos(Math.min(left, LOOK_NANOS));
			}
			finally {
				this.lock.unlock();
			}
		}
	}

	/** The order counts: a wait becomes a hold before it ends. */
	private boolean isIdle() {
		return this.waiting.isEmpty() && !isAnyHeld();
	}

	private boolean isAnyHeld() {
		return !this.holds.stream().allMatch(Hold::isLeft);
	}

}
