package io.interlock.test;

import java.time.Duration;
import java.time.Instant;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.interlock.LockId;
import io.interlock.LockListener;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.event.LockEvent;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSettings;
import io.interlock.template.LockSnapshot;
import io.interlock.template.LockTemplate;
import org.assertj.core.api.AssertProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Controls the locks of an application in its tests. Each fault ends when it is closed,
 * and with the test at the latest. {@link #history()} returns what the application did,
 * and AssertJ checks it: <pre class="code">
 * this.locks.busy("seats", 42);
 * assertThatExceptionOfType(LockNotAcquiredException.class)
 * 	.isThrownBy(() -&gt; this.boxOffice.sell(42));
 * assertThat(this.locks).notAcquired("seats", 42);</pre>
 * <p>
 * Time stands still for holds: minimum and maximum times pass by {@link #advance} only. A
 * caller that waits behind another instance, or behind a lock that only its minimum time
 * keeps, is refused at once, as if its wait time had passed. A caller that waits without
 * limit, or behind a thread of the application, really waits.
 * <p>
 * In a {@code @Transactional} test, the transaction around the test method keeps every
 * lock until it ends, which is after the test. A test of locks needs none: annotate it
 * with {@code @Transactional(propagation = Propagation.NOT_SUPPORTED)}.
 * <p>
 * The application is notified of faults on the thread that causes them. Safe for use by
 * many threads, with two limits: only one thread at a time may cause faults of one lock,
 * and an outage and {@code advance} affect all locks. Elections are locks named
 * {@code leader}, with the name of the election as key.
 *
 * @since 0.1.0
 */
public final class TestLocks implements AssertProvider<TestLocksAssert> {

	private final InMemoryLockProvider provider = new InMemoryLockProvider();

	private final LockHistory history = new LockHistory();

	private final VirtualWaits waits = new VirtualWaits(this::isHopeless);

	private final VirtualTime time = new VirtualTime(this.waits);

	private final HeldLocks heldLocks = new HeldLocks(this.time);

	private final Supplier<LockTemplate> template;

	private final Set<LockGrant> ofOthers = ConcurrentHashMap.newKeySet();

	private final AtomicInteger outages = new AtomicInteger();

	private final Deque<Fault> faults = new ConcurrentLinkedDeque<>();

	private final Set<Thread> tests = ConcurrentHashMap.newKeySet();

	/**
	 * Create locks for an application.
	 * @param template the template of the application
	 */
	TestLocks(Supplier<LockTemplate> template) {
		this.template = template;
	}

	private TestLocks() {
		LockTemplate own = new LockTemplate(new QueueingLockProvider(this.provider, QueueSettings.defaults()),
				LockSettings.defaults(), this.heldLocks, List.of(this.history, this.waits));
		this.template = () -> own;
	}

	/**
	 * Create locks for a test without an application context, which acquires them with
	 * {@link #template()}. They have the default settings of an application. If several
	 * tests share them, call {@link #reset()} after each.
	 * @return the locks
	 */
	public static TestLocks create() {
		return new TestLocks();
	}

	/**
	 * Return the template that acquires the locks: the one of the application or of
	 * {@link #create()}.
	 * @return the template
	 * @throws org.springframework.beans.factory.NoSuchBeanDefinitionException if the
	 * application has lock operations of its own instead
	 */
	public LockTemplate template() {
		return this.template.get();
	}

	/**
	 * Have another instance take a lock, exclusively.
	 * @param id which lock
	 * @return what gives it back
	 * @throws IllegalStateException if the lock is taken already, or during an outage
	 */
	public AutoCloseable busy(LockId id) {
		Assert.state(this.outages.get() == 0,
				() -> "Lock %s cannot be taken by another instance during an outage. Call busy before unavailable"
					.formatted(id));
		LockGrant grant = take(id);
		this.ofOthers.add(grant);
		this.waits.look();
		return begin(() -> {
			this.ofOthers.remove(grant);
			grant.release();
		});
	}

	/**
	 * Have another instance take the lock that has this name and no key, exclusively.
	 * @param name name of the lock
	 * @return what gives it back
	 * @throws IllegalStateException if the lock is taken already, or during an outage
	 */
	public AutoCloseable busy(String name) {
		return busy(idOf(name, null));
	}

	/**
	 * Have another instance take a lock, exclusively.
	 * @param name name of the lock
	 * @param key key of the lock
	 * @return what gives it back
	 * @throws IllegalStateException if the lock is taken already, or during an outage
	 */
	public AutoCloseable busy(String name, Object key) {
		return busy(idOf(name, key));
	}

	/**
	 * Begin an outage. A caller that requests or waits for a lock fails at once with
	 * {@link io.interlock.LockServiceUnavailableException}, and locks that are held are
	 * {@link LockState#UNCONFIRMED}. Its end ends all suspensions too.
	 * @return what ends the outage
	 */
	public AutoCloseable unavailable() {
		this.outages.incrementAndGet();
		this.provider.setAvailable(false);
		return begin(() -> {
			if (this.outages.decrementAndGet() == 0) {
				this.provider.setAvailable(true);
			}
		});
	}

	/**
	 * Have the application lose a lock that it holds, as it does when its session ends.
	 * The lock is free for others then.
	 * @param id which lock
	 * @throws IllegalStateException if the application does not hold the lock
	 */
	public void lose(LockId id) {
		checkHeld(id, "lost");
		this.provider.changeState(id, LockState.LOST);
	}

	/**
	 * Have the application lose the lock that has this name and no key.
	 * @param name name of the lock
	 * @throws IllegalStateException if the application does not hold the lock
	 */
	public void lose(String name) {
		lose(idOf(name, null));
	}

	/**
	 * Have the application lose a lock that it holds.
	 * @param name name of the lock
	 * @param key key of the lock
	 * @throws IllegalStateException if the application does not hold the lock
	 */
	public void lose(String name, Object key) {
		lose(idOf(name, key));
	}

	/**
	 * Suspend the connection of the present holders of a lock: it is
	 * {@link LockState#UNCONFIRMED} for them.
	 * @param id which lock
	 * @return what resumes the connection
	 * @throws IllegalStateException if the application does not hold the lock
	 */
	public AutoCloseable suspend(LockId id) {
		checkHeld(id, "suspended");
		this.provider.changeState(id, LockState.UNCONFIRMED);
		return begin(() -> {
			if (this.outages.get() == 0) {
				this.provider.changeState(id, LockState.VALID);
			}
		});
	}

	/**
	 * Suspend the connection of the present holders of the lock that has this name and no
	 * key.
	 * @param name name of the lock
	 * @return what resumes the connection
	 * @throws IllegalStateException if the application does not hold the lock
	 */
	public AutoCloseable suspend(String name) {
		return suspend(idOf(name, null));
	}

	/**
	 * Suspend the connection of the present holders of a lock.
	 * @param name name of the lock
	 * @param key key of the lock
	 * @return what resumes the connection
	 * @throws IllegalStateException if the application does not hold the lock
	 */
	public AutoCloseable suspend(String name, Object key) {
		return suspend(idOf(name, key));
	}

	/**
	 * Return the locks that the application holds now, oldest first, including those kept
	 * for their minimum time. Lost locks and leaderships are not included.
	 * @return a snapshot
	 */
	public List<LockSnapshot> held() {
		Set<Long> tokens = this.provider.grants().stream().map(LockGrant::fencingToken).collect(Collectors.toSet());
		return this.heldLocks.held().stream().filter((lock) -> tokens.contains(lock.token())).toList();
	}

	/**
	 * Return what has happened to the locks of the application since the test began, in
	 * order. Leaderships, and what {@link #busy} does for another instance, are not part
	 * of it.
	 * @return a snapshot
	 */
	public List<LockEvent> history() {
		return this.history.events();
	}

	/**
	 * Let time pass for all holds. Holds that exceed their maximum time are reported, and
	 * locks whose minimum time is over are released, in the order of these times and on
	 * the calling thread.
	 * @param time how much
	 * @throws IllegalArgumentException if it is negative
	 */
	public void advance(Duration time) {
		Assert.notNull(time, "'time' must not be null");
		Assert.isTrue(!time.isNegative(), () -> "'time' must not be negative: " + time);
		this.time.advance(time);
	}

	/**
	 * End all faults, the last one first, release what only its minimum time keeps, and
	 * forget the history. Done before and after each test method.
	 */
	public void reset() {
		endFaults(null);
		this.heldLocks.releaseKept();
		this.history.clear();
	}

	/**
	 * Return assertions about the locks, for {@code Assertions.assertThat(locks)}.
	 * @return the assertions
	 */
	@Override
	public TestLocksAssert assertThat() {
		return new TestLocksAssert(this);
	}

	/**
	 * Begin a test on the calling thread. It begins with fresh locks, unless another test
	 * runs.
	 */
	synchronized void beginTest() {
		if (this.tests.isEmpty()) {
			reset();
		}
		this.tests.add(Thread.currentThread());
	}

	/**
	 * End the test of the calling thread and its faults, and all the rest if no other
	 * test runs.
	 */
	synchronized void endTest() {
		this.tests.remove(Thread.currentThread());
		endFaults(Thread.currentThread());
		if (this.tests.isEmpty()) {
			reset();
		}
	}

	private void endFaults(@Nullable Thread beginner) {
		this.faults.descendingIterator().forEachRemaining((fault) -> {
			if (beginner == null || fault.beginner == beginner) {
				fault.close();
			}
		});
	}

	private LockGrant take(LockId id) {
		LockRequest request = LockRequest.exclusive(id.name()).withWaitTime(LockRequest.FOREVER);
		LockAttempt attempt = this.provider.attempt((id.key() != null) ? request.withKey(id.key()) : request,
				new LockCaller("another instance", Instant.now(), null, false));
		attempt.abandon();
		try {
			return attempt.outcome().join().orElseThrow();
		}
		catch (CancellationException ex) {
			throw new IllegalStateException("Lock %s cannot be taken by another instance, because %s".formatted(id,
					isOfOthers(id) ? "another instance has it already"
							: "the application holds it. Let it release the lock first"));
		}
	}

	private boolean isOfOthers(LockId id) {
		return this.ofOthers.stream().anyMatch((grant) -> grant.request().id().equals(id));
	}

	/**
	 * Return whether no thread of the application can free a lock.
	 */
	private boolean isHopeless(LockId id) {
		List<LockSnapshot> holds = held().stream().filter((hold) -> hold.id().equals(id)).toList();
		return isOfOthers(id) || (!holds.isEmpty() && holds.stream().allMatch((hold) -> hold.keptUntil() != null));
	}

	private void checkHeld(LockId id, String what) {
		List<LockId> ids = this.provider.grants()
			.stream()
			.filter((grant) -> !this.ofOthers.contains(grant))
			.map((grant) -> grant.request().id())
			.distinct()
			.toList();
		Assert.state(ids.contains(id),
				() -> "Lock %s cannot be %s, because the application does not hold it. It holds %s".formatted(id, what,
						ids.isEmpty() ? "no lock" : ids));
	}

	private AutoCloseable begin(Runnable end) {
		Fault fault = new Fault(end);
		this.faults.add(fault);
		return fault;
	}

	static LockId idOf(String name, @Nullable Object key) {
		LockRequest request = LockRequest.exclusive(name);
		return ((key != null) ? request.withKey(key) : request).id();
	}

	InMemoryLockProvider provider() {
		return this.provider;
	}

	HeldLocks heldLocks() {
		return this.heldLocks;
	}

	LockListener recorder() {
		return this.history;
	}

	LockListener waits() {
		return this.waits;
	}

	/**
	 * Something that a test does to the locks of an application, until it is closed.
	 */
	private final class Fault implements AutoCloseable {

		private final Thread beginner = Thread.currentThread();

		private final Runnable end;

		Fault(Runnable end) {
			this.end = end;
		}

		@Override
		public void close() {
			if (TestLocks.this.faults.remove(this)) {
				this.end.run();
			}
		}

	}

}
