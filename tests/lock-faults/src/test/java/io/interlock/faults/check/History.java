package io.interlock.faults.check;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What happened in a run. Safe for use by many threads.
 */
public final class History {

	/**
	 * How long it may take until the session is closed.
	 */
	private static final long CLOSING_NANOS = TimeUnit.SECONDS.toNanos(5);

	/**
	 * How long it may take until a client hears that its session was closed.
	 */
	private static final long TELLING_NANOS = TimeUnit.SECONDS.toNanos(1);

	/**
	 * Servers that let a write wait for longer than this do not serve.
	 */
	private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final Queue<ObservedHold> holds = new ConcurrentLinkedQueue<>();

	private final Queue<ObservedAttempt> attempts = new ConcurrentLinkedQueue<>();

	private final Queue<ObservedFault> faults = new ConcurrentLinkedQueue<>();

	private final Queue<Violation> reported = new ConcurrentLinkedQueue<>();

	private volatile boolean workersStopped;

	private final NavigableSet<Long> served = new ConcurrentSkipListSet<>();

	private final Map<String, Long> first = new ConcurrentHashMap<>();

	private final Map<String, Queue<Long>> moves = new ConcurrentHashMap<>();

	private final Map<String, Queue<Connection>> connections = new ConcurrentHashMap<>();

	private final Map<Long, Long> queuedNodes = new ConcurrentHashMap<>();

	private final Map<String, Queue<Long>> closedSessions = new ConcurrentHashMap<>();

	private final Map<Long, Long> deletedNodes = new ConcurrentHashMap<>();

	private final Map<String, Duration> leases = new ConcurrentHashMap<>();

	private final Queue<Lapse> lapses = new ConcurrentLinkedQueue<>();

	private final Map<String, AtomicLong> counters = new ConcurrentHashMap<>();

	private final Queue<StillLock> stillLocks = new ConcurrentLinkedQueue<>();

	public void add(ObservedHold hold) {
		this.holds.add(hold);
	}

	public void add(ObservedAttempt attempt) {
		this.attempts.add(attempt);
	}

	public void add(ObservedFault fault) {
		this.faults.add(fault);
	}

	public void add(Violation violation) {
		this.reported.add(violation);
	}

	public void add(StillLock lock) {
		this.stillLocks.add(lock);
	}

	/**
	 * Return what was seen of a lock within a time in which it stood still.
	 */
	Stream<StillLock> stillLocks(String key, long from, long to) {
		return this.stillLocks.stream()
			.filter((lock) -> lock.key().equals(key) && lock.at() >= from && lock.at() <= to);
	}

	/**
	 * Note that the servers took a write of a client that no fault touches. It does not
	 * count while all workers are stopped, because there is nothing to serve.
	 * @param at when they had answered
	 */
	public void served(long at) {
		if (!this.workersStopped) {
			this.served.add(at);
		}
	}

	/**
	 * Note that all workers are stopped, or go on.
	 * @param stopped whether they are stopped
	 */
	public void workersStopped(boolean stopped) {
		this.workersStopped = stopped;
	}

	/**
	 * Return for how long the servers served within a time.
	 * @param from its begin
	 * @param to its end
	 * @return the nanoseconds of the time, without pauses between two writes that are
	 * longer than a second
	 */
	long servedNanos(long from, long to) {
		long pauses = 0;
		long before = from;
		for (long at : this.served.subSet(from, to)) {
			pauses += pause(before, at);
			before = at;
		}
		return to - from - pauses - pause(before, to);
	}

	private static long pause(long from, long to) {
		return (to - from > LONGEST_PAUSE_NANOS) ? to - from : 0;
	}

	/**
	 * Note which node is first in the queue of a lock.
	 * @param key which lock
	 * @param node the transaction that created the node, 0 if the queue is empty
	 * @param at when it was seen
	 */
	public void first(String key, long node, long at) {
		Long before = this.first.put(key, node);
		if (before == null || before != node) {
			this.moves.computeIfAbsent(key, (lock) -> new ConcurrentLinkedQueue<>()).add(at);
		}
	}

	/**
	 * Return when another node was seen in first place of a queue.
	 */
	Collection<Long> moves(String key) {
		return this.moves.getOrDefault(key, new ConcurrentLinkedQueue<>());
	}

	/**
	 * Note what Curator told a client about its connection.
	 * @param instance which client
	 * @param state the state of the connection
	 * @param at when it was told
	 */
	public void connection(String instance, String state, long at) {
		this.connections.computeIfAbsent(instance, (key) -> new ConcurrentLinkedQueue<>())
			.add(new Connection(state, at));
	}

	/**
	 * Return whether Curator told a client of a state of its connection.
	 * @param instance which client
	 * @param state the state of the connection
	 * @param from earliest time at which it was told
	 * @param to latest time
	 */
	boolean wasTold(String instance, String state, long from, long to) {
		return this.connections.getOrDefault(instance, new ConcurrentLinkedQueue<>())
			.stream()
			.anyMatch((told) -> told.state().equals(state) && told.at() > from && told.at() < to);
	}

	/**
	 * Note that a node was seen behind others in the queue of a lock.
	 * @param czxid the transaction that created it
	 * @param at when it was seen
	 */
	public void queued(long czxid, long at) {
		this.queuedNodes.putIfAbsent(czxid, at);
	}

	/**
	 * Note that an administrator is about to delete the node of a holder.
	 * @param czxid the transaction that created it
	 * @param at before it is deleted
	 */
	public void deleted(long czxid, long at) {
		this.deletedNodes.put(czxid, at);
	}

	/**
	 * Note that somebody else is about to close the session of a worker.
	 * @param worker which worker
	 * @param at before it is closed
	 */
	public void expired(String worker, long at) {
		this.closedSessions.computeIfAbsent(worker, (key) -> new ConcurrentLinkedQueue<>()).add(at);
	}

	/**
	 * Note the length of the leases of a worker.
	 * @param worker which worker
	 * @param lease how long they last
	 */
	public void lease(String worker, Duration lease) {
		this.leases.put(worker, lease);
	}

	Duration leaseOf(String worker) {
		return this.leases.getOrDefault(worker, Duration.ZERO);
	}

	/**
	 * Note that the server has ended or forgotten leases before their time, which it may.
	 * @param cause the kind of the fault
	 * @param from before it did
	 * @param to when it had done so
	 * @param firstToken the least token that it gives out after that
	 */
	public void lapsed(String cause, long from, long to, long firstToken) {
		this.lapses.add(new Lapse(cause, from, to, firstToken));
	}

	/**
	 * Return when the lease of a hold may have lapsed. The lease was granted before that,
	 * and the hold is not told any more that it stands once nine tenths of its lease have
	 * passed since: no request that the server has answered was sent later. One that is
	 * told so for longer has no excuse.
	 * @return the first time, empty if it cannot have lapsed
	 */
	Optional<Lapse> lapseOf(ObservedHold hold) {
		long telling = leaseOf(hold.worker()).toNanos() / 10 * 9;
		return this.lapses.stream()
			.filter((lapse) -> hold.token() < lapse.firstToken() && hold.lastValid() > lapse.from()
					&& hold.lastValid() <= lapse.to() + telling)
			.min(Comparator.comparingLong(Lapse::from));
	}

	private long lapsedAt(ObservedHold hold) {
		return lapseOf(hold).map(Lapse::from).orElse(Long.MAX_VALUE);
	}

	/**
	 * Return until when a hold was told that it stands, not counting what it was told
	 * after somebody else had deleted its node or closed its session: that takes effect
	 * at once, and no client can know it before the news arrives: who still says yes
	 * after it was told LOST is judged.
	 */
	long provenUntil(ObservedHold hold) {
		long deletedAt = this.deletedNodes.getOrDefault(hold.token(), Long.MAX_VALUE);
		long closedAt = this.closedSessions.getOrDefault(hold.worker(), new ConcurrentLinkedQueue<>())
			.stream()
			.filter((at) -> at > hold.grantedAt() - CLOSING_NANOS)
			.filter((at) -> !wasTold(hold.instance(), "LOST", at, hold.lastValid()))
			.min(Long::compare)
			.orElse(Long.MAX_VALUE);
		return Math.min(Math.min(hold.lastValid(), lapsedAt(hold)), Math.min(deletedAt, closedAt));
	}

	/**
	 * Return whether somebody else had deleted the node of a hold, or closed its session,
	 * before its holder was told of the grant, which the servers had made already. The
	 * session may be closed late, and its client may stand still before it hears of that.
	 */
	boolean endedBeforeItWasTold(ObservedHold hold) {
		long told = hold.grantedAt();
		return this.deletedNodes.getOrDefault(hold.token(), Long.MAX_VALUE) <= told || lapsedAt(hold) <= told
				|| this.closedSessions.getOrDefault(hold.worker(), new ConcurrentLinkedQueue<>())
					.stream()
					.filter((at) -> at <= told && told - at < CLOSING_NANOS)
					.anyMatch((at) -> told - at < TELLING_NANOS || !wasTold(hold.instance(), "LOST", at, told));
	}

	/**
	 * Count something.
	 * @param name what
	 * @param times how often it happened
	 */
	public void count(String name, long times) {
		this.counters.computeIfAbsent(name, (key) -> new AtomicLong()).addAndGet(times);
	}

	/**
	 * Return how often something happened.
	 * @param name what
	 * @return how often
	 */
	public long counted(String name) {
		AtomicLong counter = this.counters.get(name);
		return (counter != null) ? counter.get() : 0;
	}

	public Collection<ObservedHold> holds() {
		return this.holds;
	}

	/**
	 * Return who holds a lock at this moment.
	 * @param key which lock
	 * @return the name of the worker, empty if nobody does
	 */
	public Optional<String> holderOf(String key) {
		return this.holds.stream()
			.filter((hold) -> hold.key().equals(key))
			.max(Comparator.comparingLong(ObservedHold::grantedAt))
			.filter(ObservedHold::isOpen)
			.map(ObservedHold::worker);
	}

	/**
	 * Return whether a lock was granted since a time, and nobody else works under it any
	 * more, so that the others wait for it.
	 * @param key which lock
	 * @param since the time
	 * @param longest how long its holders work at the most
	 * @return whether there is such a hold
	 */
	public boolean isHeldAlone(String key, long since, Duration longest) {
		long earliest = System.nanoTime() - longest.toNanos();
		List<ObservedHold> working = this.holds.stream()
			.filter((hold) -> hold.key().equals(key) && hold.isOpen() && hold.grantedAt() > earliest)
			.toList();
		return working.size() == 1 && working.get(0).grantedAt() > since;
	}

	public Collection<ObservedAttempt> attempts() {
		return this.attempts;
	}

	public Collection<ObservedFault> faults() {
		return this.faults;
	}

	/**
	 * Return how often each lock was granted.
	 * @return the number of grants by lock
	 */
	public Map<String, Long> grantsByKey() {
		return this.holds.stream()
			.collect(Collectors.groupingBy(ObservedHold::key, TreeMap::new, Collectors.counting()));
	}

	Stream<ObservedFault> faultsWithin(long from, long to) {
		return this.faults.stream().filter((fault) -> fault.begin() < to && fault.end() > from);
	}

	/**
	 * Return how long a grant has taken at the most, the holders before it included.
	 * @return milliseconds, in how many of them the servers served, and which grant
	 */
	public String longestWait() {
		return this.holds.stream()
			.max(Comparator.comparingLong((hold) -> hold.grantedAt() - hold.askedAt()))
			.map((hold) -> "%d, in %d of which the servers served (%s)".formatted(
					TimeUnit.NANOSECONDS.toMillis(hold.grantedAt() - hold.askedAt()),
					TimeUnit.NANOSECONDS.toMillis(servedNanos(hold.askedAt(), hold.grantedAt())), hold))
			.orElse("none");
	}

	Map<String, List<ObservedHold>> holdsByKey() {
		return this.holds.stream().collect(Collectors.groupingBy(ObservedHold::key));
	}

	/**
	 * Return what workers found wrong themselves.
	 * @return the violations
	 */
	public Collection<Violation> violationsByWorkers() {
		return this.reported;
	}

	/**
	 * Return whether a hold was queued before its client lost the connection, and was
	 * granted with the same node afterwards.
	 */
	boolean keptItsPlace(ObservedHold hold) {
		Long seenAt = this.queuedNodes.get(hold.token());
		return seenAt != null && wasTold(hold.instance(), "SUSPENDED", seenAt, hold.grantedAt());
	}

	/**
	 * What Curator told a client about its connection.
	 */
	private record Connection(String state, long at) {

	}

	/**
	 * A time in which leases may have ended early.
	 *
	 * @param cause the kind of the fault
	 * @param from its begin
	 * @param to its end
	 * @param firstToken the least token that was given out after it
	 */
	record Lapse(String cause, long from, long to, long firstToken) {

	}

}
