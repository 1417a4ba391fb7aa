package io.interlock.lease;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.interlock.LockId;
import io.interlock.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * What the store of a simulation knows, by a clock of its own. It is correct, apart from
 * a fail-over, which takes it back to an earlier state.
 */
final class SimulatedLeases {

	private static final long LONGEST_FORGOTTEN = 1000 * LeaseSimulation.MILLIS;

	private static final long BEGINNING = 1_000_000_000_000_000L;

	private final LeaseSimulation simulation;

	private final int drift;

	/** Whether instances are told that a lock may be free. */
	private final boolean telling;

	private final boolean remembering;

	private Map<LockId, Lock> locks = new LinkedHashMap<>();

	private final Deque<Earlier> history = new ArrayDeque<>();

	int cleaned;

	/** When the last fail-over was, or before everything. */
	long failedOverAt = Long.MIN_VALUE / 2;

	SimulatedLeases(LeaseSimulation simulation, boolean remembering) {
		this.simulation = simulation;
		this.drift = simulation.random.nextInt(20_001) - 10_000;
		this.telling = simulation.chance(2);
		this.remembering = remembering;
	}

	private long clock() {
		long now = this.simulation.now();
		return BEGINNING + now + now / 1000 * this.drift / 1000;
	}

	private Lock lock(LeaseContender contender) {
		remember();
		Lock lock = this.locks.computeIfAbsent(contender.lock(), (added) -> new Lock());
		lock.holders.removeIf(this::isOver);
		lock.waiters.removeIf(this::isOver);
		return lock;
	}

	private boolean isOver(Entry entry) {
		return entry.end <= clock();
	}

	LeaseAnswer acquire(LeaseContender contender, boolean waits) {
		Lock lock = lock(contender);
		long end = clock() + LeaseSimulation.LEASE_NANOS;
		Entry holder = find(lock.holders, contender);
		if (holder != null) {
			replace(lock.holders, new Entry(contender, end, holder.token));
			return LeaseAnswer.granted(holder.token);
		}
		Entry waiter = find(lock.waiters, contender);
		Entry front = lock.waiters.isEmpty() ? null : lock.waiters.get(0);
		if ((front == null || front == waiter || (contender.first() && waiter == null)) && isFree(lock, contender)) {
			lock.waiters.remove(waiter);
			lock.token = Math.max(lock.token + 1, clock() / 1000);
			lock.holders.add(new Entry(contender, end, lock.token));
			return LeaseAnswer.granted(lock.token);
		}
		if (waiter != null) {
			replace(lock.waiters, new Entry(contender, end, 0));
		}
		else if (waits) {
			lock.waiters.add(contender.first() ? 0 : lock.waiters.size(), new Entry(contender, end, 0));
		}
		return LeaseAnswer.heldBy(lock.token);
	}

	private static boolean isFree(Lock lock, LeaseContender contender) {
		int permits = contender.permits();
		for (Entry holder : lock.holders) {
			if (holder.contender.mode() != contender.mode() || contender.mode() == LockMode.EXCLUSIVE) {
				return false;
			}
			permits = Math.min(permits, holder.contender.permits());
		}
		return contender.mode() != LockMode.PERMIT || lock.holders.size() < permits;
	}

	private static @Nullable Entry find(List<Entry> entries, LeaseContender contender) {
		for (Entry entry : entries) {
			if (entry.contender.equals(contender)) {
				return entry;
			}
		}
		return null;
	}

	private static boolean replace(List<Entry> entries, Entry entry) {
		for (int i = 0; i < entries.size(); i++) {
			if (entries.get(i).contender.equals(entry.contender)) {
				entries.set(i, entry);
				return true;
			}
		}
		return false;
	}

	boolean renew(LeaseContender contender) {
		Lock lock = lock(contender);
		long end = clock() + LeaseSimulation.LEASE_NANOS;
		Entry holder = find(lock.holders, contender);
		return (holder != null) ? replace(lock.holders, new Entry(contender, end, holder.token))
				: replace(lock.waiters, new Entry(contender, end, 0));
	}

	boolean keep(LeaseContender contender, LeaseContender kept, long nanos) {
		Lock lock = lock(contender);
		Entry holder = find(lock.holders, contender);
		if (holder != null) {
			lock.holders.remove(holder);
			lock.holders.add(new Entry(kept, clock() + nanos, holder.token));
		}
		return find(lock.holders, kept) != null;
	}

	boolean release(LeaseContender contender) {
		Lock lock = lock(contender);
		boolean held = lock.holders.remove(find(lock.holders, contender));
		boolean waited = lock.waiters.remove(find(lock.waiters, contender));
		if ((held || waited) && this.telling) {
			this.simulation.instances.forEach((instance) -> instance.tell(contender.lock()));
		}
		return held;
	}

	boolean isHeld(LeaseContender contender) {
		return find(lock(contender).holders, contender) != null;
	}

	/** Return the token of a holder, or 0. */
	long token(LeaseContender contender) {
		Lock lock = this.locks.get(contender.lock());
		Entry holder = (lock != null) ? find(lock.holders, contender) : null;
		return (holder != null && !isOver(holder)) ? holder.token : 0;
	}

	/** Return who is left, holding or waiting. */
	List<LeaseContender> left() {
		List<LeaseContender> left = new ArrayList<>(0);
		for (Lock lock : this.locks.values()) {
			lock.holders.stream().filter((entry) -> !isOver(entry)).forEach((entry) -> left.add(entry.contender));
			lock.waiters.stream().filter((entry) -> !isOver(entry)).forEach((entry) -> left.add(entry.contender));
		}
		return left;
	}

	private void remember() {
		if (!this.remembering) {
			return;
		}
		while (!this.history.isEmpty() && this.history.getFirst().at < this.simulation.now() - LONGEST_FORGOTTEN) {
			this.history.removeFirst();
		}
		Map<LockId, Lock> copy = new LinkedHashMap<>();
		this.locks.forEach((id, lock) -> copy.put(id, new Lock(lock)));
		this.history.addLast(new Earlier(this.simulation.now(), copy));
	}

	/** Forget what was done lately. */
	void failOver(long nanos) {
		long since = this.simulation.now() - nanos;
		while (!this.history.isEmpty() && this.history.getLast().at >= since) {
			this.locks = this.history.removeLast().locks;
		}
		this.failedOverAt = this.simulation.now();
	}

	/**
	 * A lock: holders, waiting contenders in their order, and the last token.
	 */
	private static final class Lock {

		private final List<Entry> holders;

		private final List<Entry> waiters;

		private long token;

		Lock() {
			this.holders = new ArrayList<>(2);
			this.waiters = new ArrayList<>(2);
		}

		Lock(Lock other) {
			this.holders = new ArrayList<>(other.holders);
			this.waiters = new ArrayList<>(other.waiters);
			this.token = other.token;
		}

	}

	/**
	 * A contender that holds or waits.
	 *
	 * @param contender the contender
	 * @param end when its lease ends
	 * @param token its token, if it holds
	 */
	private record Entry(LeaseContender contender, long end, long token) {

	}

	/**
	 * The state before a change.
	 *
	 * @param at when the change was
	 * @param locks the state
	 */
	private record Earlier(long at, Map<LockId, Lock> locks) {

	}

}
