package io.interlock.template;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.RevocationRequest;
import org.jspecify.annotations.Nullable;

/**
 * What the threads of this JVM hold and wait for through one {@link LockTemplate}. Safe
 * for use by many threads.
 *
 * @since 0.1.0
 */
public final class HeldLocks {

	private final Set<Hold> holds = ConcurrentHashMap.newKeySet();

	private final Set<Waiting> waiting = ConcurrentHashMap.newKeySet();

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition released = this.lock.newCondition();

	private volatile boolean awaited;

	/**
	 * Return the locks that are held, oldest first. Joining one's own hold again adds no
	 * entry.
	 * @return a snapshot
	 */
	public List<LockSnapshot> held() {
		return snapshot(this.holds, Hold::snapshot);
	}

	/**
	 * Return the locks that are held, oldest first, and where the threads that acquired
	 * them are now. Each thread stops for a moment to tell.
	 * @return a snapshot
	 */
	public List<LockSnapshot> heldWithStacks() {
		return snapshot(this.holds, Hold::snapshotWithStack);
	}

	/**
	 * Return the locks that are waited for, oldest first.
	 * @return a snapshot
	 */
	public List<LockSnapshot> waiting() {
		return snapshot(this.waiting, Waiting::snapshot);
	}

	/**
	 * Ask holders to give their lock up. They are told on the calling thread, one after
	 * the other.
	 * @param meant who is asked
	 * @param request who asks
	 * @return how many were asked
	 */
	public int requestRevocation(Predicate<LockHandle> meant, RevocationRequest request) {
		List<Hold> asked = this.holds.stream().filter((hold) -> meant.test(hold.grant())).toList();
		asked.forEach((hold) -> hold.revocation().request(request));
		return asked.size();
	}

	private static <T> List<LockSnapshot> snapshot(Set<T> entries, Function<T, LockSnapshot> snapshot) {
		return entries.stream().map(snapshot).sorted(Comparator.comparing(LockSnapshot::since)).toList();
	}

	void add(Hold hold) {
		this.holds.add(hold);
	}

	void remove(Hold hold) {
		this.holds.remove(hold);
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

	Waiting waiting(LockRequest request) {
		Waiting entry = new Waiting(request, Thread.currentThread(), Instant.now());
		this.waiting.add(entry);
		return entry;
	}

	void remove(Waiting entry) {
		this.waiting.remove(entry);
	}

	/**
	 * Say which thread of this JVM a request has to wait for, so that somebody who gives
	 * up can be told. A hold that is lost keeps nobody waiting, nor does a shared hold a
	 * shared request.
	 * @param request what is asked for
	 * @return the holder, or {@code null} if none of this JVM is in the way
	 */
	@Nullable String holderBefore(LockRequest request) {
		for (Hold hold : this.holds) {
			if (!hold.isLost() && hold.isInTheWayOf(request)) {
				return "thread '%s' of this instance".formatted(hold.thread().getName());
			}
		}
		return null;
	}

	/**
	 * Refuse a wait that would never end. A thread that holds nothing is in nobody's way.
	 */
	void checkOrder(Waiting entry) {
		if (entry.isForOthers() && LockContext.holdsAny()) {
			new LockOrderCheck(this.holds, this.waiting, entry.thread()).check(entry);
		}
	}

	/**
	 * Wait until nothing is held any more.
	 * @param timeout how long
	 * @return whether nothing is held
	 * @throws InterruptedException if the thread is interrupted
	 */
	public boolean awaitReleased(Duration timeout) throws InterruptedException {
		long deadline = System.nanoTime() + timeout.toNanos();
		this.lock.lock();
		try {
			this.awaited = true;
			while (!this.holds.isEmpty()) {
				if (this.released.awaitNanos(deadline - System.nanoTime()) <= 0) {
					return this.holds.isEmpty();
				}
			}
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

}
