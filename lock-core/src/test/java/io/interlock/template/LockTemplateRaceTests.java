package io.interlock.template;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.interlock.LockHandle;
import io.interlock.LockInterruptedException;
import io.interlock.LockListener;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.LossPolicy;
import io.interlock.testing.ScriptedAttempt;
import io.interlock.testing.ScriptedGrant;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.thread.Background;
import io.interlock.testsupport.thread.Spin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Races around {@link LockTemplate}: two things that happen at the same instant, again
 * and again.
 */
@Timeout(600)
class LockTemplateRaceTests {

	/** How many times as many rounds as the fast tier has time for. */
	private static final int FACTOR = Integer.getInteger("interlock.races.factor", 1);

	private static final int ACQUISITIONS = FACTOR * 2_000;

	private static final int LOSSES = FACTOR * 1_000;

	private static final int JOINS = FACTOR * 2_000;

	/** The round in which the first of the two things is made to come first. */
	private static final int FIRST = 1;

	/** The round in which the second of the two things is made to come first. */
	private static final int SECOND = 2;

	private static final LockRequest REQUEST = LockRequest.exclusive("orders");

	private final LoggingSystem logging = LoggingSystem.get(getClass().getClassLoader());

	private final ScriptedLockProvider provider = new ScriptedLockProvider().answersNothing();

	private final HeldLocks heldLocks = new HeldLocks();

	@BeforeEach
	void doNotLogEveryLoss() {
		this.logging.setLogLevel(Hold.class.getName(), LogLevel.OFF);
	}

	@AfterEach
	void logAgain() {
		this.logging.setLogLevel(Hold.class.getName(), null);
		assertThat(Leftovers.takeInterrupt()).isFalse();
		assertThat(Leftovers.takeHandles()).isEmpty();
	}

	@Test
	@Proves(value = Promise.NOTHING_IS_LEFT_BEHIND, under = Fault.CALLERS_GIVE_UP)
	void aGrantAtTheInstantOfTheDeadlineIsTakenOrClosed() throws Exception {
		LockTemplate template = template();
		Background<Boolean> service = Background.start(() -> {
			for (int round = 0; round < ACQUISITIONS; round++) {
				ScriptedAttempt attempt = this.provider.awaitAttempt();
				pause(round == SECOND, attempt::isAbandoned, 40_000);
				attempt.grant();
			}
			return true;
		});
		int taken = 0;
		for (int round = 0; round < ACQUISITIONS; round++) {
			Duration waitTime = (round == FIRST) ? LockRequest.FOREVER
					: Duration.ofNanos(ThreadLocalRandom.current().nextInt(1, 60_000));
			Optional<LockHandle> handle = template.tryAcquire(REQUEST.withWaitTime(waitTime));
			taken += handle.isPresent() ? 1 : 0;
			handle.ifPresent(LockHandle::close);
		}
		service.join();
		assertThat(taken).as("grants in time").isBetween(1, ACQUISITIONS - 1);
		assertThat(this.provider.openGrants()).as("handles left open").isZero();
		assertThat(this.heldLocks.held()).isEmpty();
		assertThat(this.heldLocks.waiting()).isEmpty();
	}

	@Test
	@Proves(value = Promise.NOTHING_IS_LEFT_BEHIND, under = Fault.CALLERS_ARE_INTERRUPTED)
	void anInterruptAtTheInstantOfTheGrantLosesNeitherFlagNorLock() throws Exception {
		LockTemplate template = template();
		Thread waiter = Thread.currentThread();
		Background<Boolean> service = Background.start(() -> {
			for (int round = 0; round < ACQUISITIONS; round++) {
				ScriptedAttempt attempt = this.provider.awaitAttempt();
				boolean grantFirst = round == FIRST || (round != SECOND && ThreadLocalRandom.current().nextBoolean());
				if (grantFirst) {
					attempt.grant();
				}
				pause(round == FIRST, attempt.granted()::isReleased, 2_000);
				waiter.interrupt();
				if (!grantFirst) {
					pause(round == SECOND, attempt::isAbandoned, 2_000);
					attempt.grant();
				}
			}
			return true;
		});
		int taken = 0;
		for (int round = 0; round < ACQUISITIONS; round++) {
			try (LockHandle handle = template.acquire(REQUEST.withWaitTime(LockRequest.FOREVER))) {
				taken += handle.isValid() ? 1 : 0;
			}
			catch (LockInterruptedException ex) {
				assertThat(ex.getCause()).isNull();
			}
			assertThat(interruptArrives()).as("flag of round %d", round).isTrue();
		}
		service.join();
		assertThat(taken).as("grants in time").isBetween(1, ACQUISITIONS - 1);
		assertThat(this.provider.openGrants()).as("handles left open").isZero();
		assertThat(this.heldLocks.held()).isEmpty();
	}

	@Test
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.THE_LOCK_IS_LOST)
	void aLossAtTheInstantOfLeavingTheBodyLeavesNoFlag() {
		AtomicReference<ScriptedGrant> granted = new AtomicReference<>();
		AtomicReference<ScriptedGrant> current = new AtomicReference<>();
		AtomicInteger done = new AtomicInteger();
		this.provider.answers((attempt) -> {
			granted.set(attempt.granted());
			attempt.grant();
		});
		// Lost from here on: what is lost earlier is no grant yet, and asked for again.
		LockTemplate template = new LockTemplate(this.provider, LockSettings.defaults(), this.heldLocks,
				List.of(new LockListener() {

					@Override
					public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
						current.set(granted.get());
					}

				}));
		Background.start(() -> {
			for (int round = 1; round <= LOSSES; round++) {
				ScriptedGrant grant = current.getAndSet(null);
				while (grant == null) {
					Thread.yield();
					grant = current.getAndSet(null);
				}
				pause(round == SECOND, grant::isReleased, 20_000);
				grant.lose();
				done.set(round);
			}
			return true;
		});
		int reported = 0;
		int strayFlags = 0;
		for (int round = 1; round <= LOSSES; round++) {
			boolean lossComesFirst = round == FIRST;
			try {
				template.executeWithoutResult(REQUEST.withOnLoss(LossPolicy.INTERRUPT),
						(lock) -> pause(lossComesFirst, () -> done.get() == FIRST, 20_000));
			}
			catch (LockLostException ex) {
				reported++;
			}
			while (done.get() != round) {
				Thread.yield();
			}
			strayFlags += Thread.interrupted() ? 1 : 0;
		}
		assertThat(strayFlags).as("flags set after the body").isZero();
		assertThat(reported).as("losses inside the body").isBetween(1, LOSSES - 1);
		assertThat(this.provider.openGrants()).isZero();
	}

	@Test
	void joiningAtTheInstantOfTheLastCloseNeverJoinsAHoldThatHasEnded() throws Exception {
		LockTemplate template = template();
		this.provider.answers(ScriptedAttempt::grant);
		BlockingQueue<LockHandle> open = new LinkedBlockingQueue<>();
		BlockingQueue<LockHandle> closed = new LinkedBlockingQueue<>();
		Background.start(() -> {
			for (int round = 0; round < JOINS; round++) {
				LockHandle handle = open.take();
				Spin.upTo(10_000);
				handle.close();
				closed.add(handle);
			}
			return true;
		});
		int joined = 0;
		for (int round = 0; round < JOINS; round++) {
			LockHandle first = template.acquire(REQUEST);
			if (round != FIRST) {
				open.add(first);
			}
			pause(round == SECOND, () -> !closed.isEmpty(), 30_000);
			try (LockHandle second = template.acquire(REQUEST)) {
				assertThat(second.isValid()).as("hold of round %d", round).isTrue();
				joined += (second.fencingToken() == first.fencingToken()) ? 1 : 0;
			}
			if (round == FIRST) {
				open.add(first);
			}
			assertThat(closed.poll(10, TimeUnit.SECONDS)).isSameAs(first);
		}
		assertThat(joined).as("holds that were joined").isBetween(1, JOINS - 1);
		assertThat(this.provider.openGrants()).as("handles left open").isZero();
	}

	/**
	 * Wait for something, or else for a random time.
	 */
	private static void pause(boolean waits, BooleanSupplier condition, int nanos) {
		if (waits) {
			Spin.until(condition);
		}
		else {
			Spin.orYieldUpTo(nanos);
		}
	}

	private LockTemplate template() {
		return new LockTemplate(this.provider, LockSettings.defaults(), this.heldLocks, List.of());
	}

	private static boolean interruptArrives() {
		long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
		while (!Thread.interrupted()) {
			if (System.nanoTime() > limit) {
				return false;
			}
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
		}
		return true;
	}

}
