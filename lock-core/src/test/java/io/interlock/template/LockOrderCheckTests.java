package io.interlock.template;

import java.time.Duration;
import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;

import io.interlock.LockException;
import io.interlock.LockRequest;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for threads that go on while a circle is looked for.
 */
@Timeout(30)
class LockOrderCheckTests {

	private static final LockRequest FIRST = LockRequest.exclusive("first").withWaitTime(LockRequest.FOREVER);

	private static final LockRequest SECOND = LockRequest.exclusive("second").withWaitTime(LockRequest.FOREVER);

	private final HeldLocks heldLocks = new HeldLocks();

	private final LockTemplate template = new LockTemplate(new ScriptedLockProvider(), LockSettings.defaults(),
			this.heldLocks, List.of());

	private HoldHandle ownFirst;

	private HoldHandle othersSecond;

	private Wait ownWait;

	private Wait othersWait;

	@BeforeEach
	void eachThreadHoldsWhatTheOtherWaitsFor() throws Exception {
		this.ownFirst = (HoldHandle) this.template.acquire(FIRST);
		this.ownWait = waitFor(SECOND);
		Background.run(() -> {
			this.othersSecond = (HoldHandle) this.template.acquire(SECOND);
			this.othersWait = waitFor(FIRST);
		});
	}

	@AfterEach
	void release() {
		this.ownFirst.close();
		this.othersSecond.close();
	}

	private Wait waitFor(LockRequest request) {
		return new Wait(request, Duration.ZERO, true);
	}

	@Test
	@Proves(Promise.WAITS_THAT_CANNOT_END)
	void circleIsRefused() {
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> check(new ArrayList<>(waits())))
			.withMessageContaining("would never end");
	}

	@Test
	@Proves(Promise.WAITS_THAT_CANNOT_END)
	void holdThatEndsBeforeItsThreadBeginsToWaitClosesNoCircle() {
		assertThatNoException().isThrownBy(() -> check(thatLooks(this.othersSecond::close, waits())));
	}

	@Test
	@Proves(Promise.WAITS_THAT_CANNOT_END)
	void waitThatEndsMeanwhileClosesNoCircle() {
		Collection<Wait> waits = new ArrayList<>(waits());
		assertThatNoException()
			.isThrownBy(() -> check(thatLooks(() -> waits.remove(this.othersWait), List.copyOf(waits), waits)));
	}

	@Test
	@Proves(Promise.WAITS_THAT_CANNOT_END)
	void circleThroughTheOnlyPermitOfASemaphoreIsRefused() throws Exception {
		Wait wait = waitFor(LockRequest.semaphore("desks", 1));
		Wait waitForOneOfTwo = waitFor(LockRequest.semaphore("desks", 2));
		List<HoldHandle> permits = new ArrayList<>();
		List<Wait> waits = new ArrayList<>();
		Background.run(() -> {
			permits.add((HoldHandle) this.template.acquire(LockRequest.semaphore("desks", 1)));
			waits.add(waitFor(FIRST));
		});
		List<Hold> holds = List.of(this.ownFirst.hold(), permits.get(0).hold());
		waits.addAll(List.of(wait, waitForOneOfTwo));
		assertThatExceptionOfType(LockException.class)
			.isThrownBy(() -> new LockOrderCheck(holds, waits, Thread.currentThread()).check(wait))
			.withMessageContaining("would never end");
		assertThatNoException()
			.isThrownBy(() -> new LockOrderCheck(holds, waits, Thread.currentThread()).check(waitForOneOfTwo));
		permits.get(0).close();
	}

	private void check(Collection<Wait> waits) {
		new LockOrderCheck(List.of(this.ownFirst.hold(), this.othersSecond.hold()), waits, Thread.currentThread())
			.check(this.ownWait);
	}

	private List<Wait> waits() {
		return List.of(this.ownWait, this.othersWait);
	}

	private static Collection<Wait> thatLooks(Runnable atFirstLook, List<Wait> waits) {
		return thatLooks(atFirstLook, waits, waits);
	}

	/**
	 * Return waits among which something happens when they are looked at first.
	 */
	private static Collection<Wait> thatLooks(Runnable atFirstLook, List<Wait> first, Collection<Wait> later) {
		return new AbstractCollection<>() {

			private boolean looked;

			@Override
			public Iterator<Wait> iterator() {
				if (this.looked) {
					return later.iterator();
				}
				this.looked = true;
				atFirstLook.run();
				return first.iterator();
			}

			@Override
			public int size() {
				return later.size();
			}

		};
	}

}
