package io.interlock.test;

import java.time.Instant;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockAttempt;
import io.interlock.LockGrant;
import io.interlock.LockId;
import io.interlock.LockOwner;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.memory.InMemoryLockProvider;
import org.assertj.core.api.AssertProvider;

import org.springframework.util.Assert;

/**
 * The locks of an application in the hands of its test. What it does to them ends when
 * the returned {@link Fault} is closed, and with the test at the latest. What the
 * application did is told by {@link #history()}, or checked with AssertJ:
 * <pre class="code">
 * this.locks.busy("seats", 42);
 * assertThatExceptionOfType(LockNotAcquiredException.class)
 * 	.isThrownBy(() -&gt; this.boxOffice.sell(42));
 * assertThat(this.locks).neverAcquired("seats", 42);</pre>
 * <p>
 * Faults are provoked by one thread at a time, which may be one of the application. The
 * application hears of them on that thread. Everything else is safe for use by many
 * threads. Elections are locks named {@code leader}, with the name of the election as
 * key.
 *
 * @since 0.1.0
 */
public final class TestLocks implements AssertProvider<TestLocksAssert> {

	private final InMemoryLockProvider provider;

	private final LockHistory history;

	private final Set<LockGrant> ofOthers = ConcurrentHashMap.newKeySet();

	private final AtomicInteger outages = new AtomicInteger();

	private final Deque<Fault> faults = new ConcurrentLinkedDeque<>();

	TestLocks(InMemoryLockProvider provider, LockHistory history) {
		this.provider = provider;
		this.history = history;
	}

	/**
	 * Have another instance take a lock.
	 * @param id which lock
	 * @return what gives it back
	 * @throws IllegalStateException if the lock is held already, or during an outage
	 */
	public Fault busy(LockId id) {
		Assert.state(this.outages.get() == 0,
				() -> "Lock %s cannot be taken by another instance during an outage. Call busy before unavailable"
					.formatted(id));
		LockGrant grant = take(id);
		this.ofOthers.add(grant);
		return begin(() -> {
			this.ofOthers.remove(grant);
			grant.release();
		});
	}

	/**
	 * Have another instance take the lock that has this name and no key.
	 * @param name name of the lock
	 * @return what gives it back
	 * @throws IllegalStateException if the lock is held already, or during an outage
	 */
	public Fault busy(String name) {
		return busy(new LockId(name, null));
	}

	/**
	 * Have another instance take a lock.
	 * @param name name of the lock
	 * @param key key of the lock
	 * @return what gives it back
	 * @throws IllegalStateException if the lock is held already, or during an outage
	 */
	public Fault busy(String name, Object key) {
		return busy(idOf(name, key));
	}

	/**
	 * Begin an outage. A caller that asks for a lock or waits for one fails at once with
	 * {@link io.interlock.LockServiceUnavailableException}, and locks that are held are
	 * {@link LockState#UNCONFIRMED}. Its end ends all suspensions too.
	 * @return what ends the outage
	 */
	public Fault unavailable() {
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
		lose(new LockId(name, null));
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
	public Fault suspend(LockId id) {
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
	public Fault suspend(String name) {
		return suspend(new LockId(name, null));
	}

	/**
	 * Suspend the connection of the present holders of a lock.
	 * @param name name of the lock
	 * @param key key of the lock
	 * @return what resumes the connection
	 * @throws IllegalStateException if the application does not hold the lock
	 */
	public Fault suspend(String name, Object key) {
		return suspend(idOf(name, key));
	}

	/**
	 * Return the locks that the application holds now, in no particular order.
	 * Leaderships are not among them.
	 * @return a snapshot
	 */
	public List<LockAcquisition> held() {
		return this.history.held();
	}

	/**
	 * Return the locks that the application has acquired since the test began, in order,
	 * those it holds and those that have ended. Leaderships are not among them.
	 * @return a snapshot
	 */
	public List<LockAcquisition> history() {
		return this.history.acquisitions();
	}

	/**
	 * End all faults, the last one first, and forget the history. Done before and after
	 * each test method.
	 */
	public void reset() {
		for (Fault fault = this.faults.peekLast(); fault != null; fault = this.faults.peekLast()) {
			fault.close();
		}
		this.history.clear();
	}

	/**
	 * Return assertions about the locks, for {@code Assertions.assertThat(locks)}.
	 * @return the assertions
	 */
	@Override
	public TestLocksAssert assertThat() {
		return new TestLocksAssert(this, this.history);
	}

	private LockGrant take(LockId id) {
		LockRequest request = LockRequest.exclusive(id.name()).withWaitTime(LockRequest.FOREVER);
		LockAttempt attempt = this.provider.attempt((id.key() != null) ? request.withKey(id.key()) : request,
				new LockOwner("another instance", Instant.now(), null));
		attempt.abandon();
		try {
			return attempt.outcome().join().orElseThrow();
		}
		catch (CancellationException ex) {
			boolean byOthers = this.ofOthers.stream().anyMatch((grant) -> grant.id().equals(id));
			throw new IllegalStateException("Lock %s cannot be taken by another instance, because %s".formatted(id,
					byOthers ? "another instance has it already"
							: "the application holds it. Have it release the lock before"));
		}
	}

	private void checkHeld(LockId id, String what) {
		List<LockId> ids = this.provider.grants()
			.stream()
			.filter((grant) -> !this.ofOthers.contains(grant))
			.map(LockGrant::id)
			.distinct()
			.toList();
		Assert.state(ids.contains(id),
				() -> "Lock %s cannot be %s, because the application does not hold it. It holds %s".formatted(id, what,
						ids.isEmpty() ? "no lock" : ids));
	}

	private Fault begin(Runnable end) {
		Fault fault = new Fault() {

			@Override
			public void close() {
				if (TestLocks.this.faults.remove(this)) {
					end.run();
				}
			}

		};
		this.faults.add(fault);
		return fault;
	}

	static LockId idOf(String name, Object key) {
		return LockRequest.exclusive(name).withKey(key).id();
	}

	/**
	 * Something that a test does to the locks of an application, until it is closed.
	 */
	@FunctionalInterface
	public interface Fault extends AutoCloseable {

		/**
		 * End this fault. May be called repeatedly; calls after the first have no effect.
		 */
		@Override
		void close();

	}

}
