package io.interlock.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSettings;
import io.interlock.template.LockTemplate;
import io.interlock.testing.ScriptedAttempt;
import io.interlock.testing.ScriptedGrant;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.thread.Background;
import io.interlock.testsupport.thread.Spin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static io.interlock.queue.QueueUnderTest.READER;
import static io.interlock.queue.QueueUnderTest.WRITER;
import static io.interlock.queue.QueueUnderTest.onLoss;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Races in {@link QueueingLockProvider}: two things that happen at the same instant,
 * again and again. Chance alone may let one of them always come first, so each comes
 * first in a round of its own. The time limit is for a thread that waits for ever, not
 * for a machine that has no time for these threads.
 */
@Timeout(600)
class QueueRaceTests {

	/** How many times as many rounds as the fast tier has time for. */
	private static final int FACTOR = Integer.getInteger("interlock.races.factor", 1);

	private static final int GRANTS = FACTOR * 2_000;

	private static final int REMOVALS = FACTOR * 40_000;

	private static final int LOSSES = FACTOR * 400;

	/** The round in which the caller is made to be served before it gives up. */
	private static final int SERVED = 1;

	/** The round in which the caller is made to give up before it is served. */
	private static final int GIVEN_UP = 2;

	private final ScriptedLockProvider provider = new ScriptedLockProvider().forgetting();

	private final QueueingLockProvider queue = new QueueingLockProvider(this.provider,
			QueueUnderTest.settings(QueueUnderTest.LONG, Integer.MAX_VALUE, Integer.MAX_VALUE));

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(this.provider.openGrants()).as("grants left open").isZero();
		assertThat(this.queue.queues()).as("queues left").isEmpty();
	}

	@Test
	void theLastWaiterLeavesAtTheInstantOfTheGrant() throws Exception {
		BlockingQueue<ScriptedAttempt> arrivals = new LinkedBlockingQueue<>();
		this.provider.answers(arrivals::add);
		BlockingQueue<Boolean> granted = new LinkedBlockingQueue<>();
		Background<Boolean> service = Background.start(() -> {
			for (int round = 0; round < GRANTS; round++) {
				ScriptedAttempt attempt = arrivals.take();
				pause(round == GIVEN_UP, attempt::isAbandoned, 2_000);
				attempt.grant();
				granted.add(true);
			}
			return true;
		});
		int taken = 0;
		for (int round = 0; round < GRANTS; round++) {
			LockAttempt attempt = ask(WRITER);
			pause(round == SERVED, attempt.outcome()::isDone, 4_000);
			taken += giveUp(attempt) ? 1 : 0;
			granted.take();
		}
		service.join();
		assertThat(taken).as("grants in time").isBetween(1, GRANTS - 1);
	}

	@Test
	void theNextOneLeavesAtTheInstantOfTheHandOver() throws Exception {
		int taken = againAndAgain((round) -> {
			LockGrant holder = handle(ask(WRITER));
			LockAttempt next = ask(WRITER);
			LockAttempt last = ask(WRITER);
			return new Race(holder::release, next, last);
		});
		assertThat(taken).as("hand-overs in time").isBetween(1, GRANTS - 1);
	}

	@Test
	void theOnlyOneWhoWaitsLeavesAtTheInstantOfTheHandOver() throws Exception {
		int taken = againAndAgain((round) -> {
			LockGrant holder = handle(ask(WRITER));
			return new Race(holder::release, ask(WRITER), null);
		});
		assertThat(taken).as("hand-overs in time").isBetween(1, GRANTS - 1);
	}

	@Test
	void theFirstOneOfAnotherModeLeavesAtTheInstantOfTheGrant() throws Exception {
		BlockingQueue<ScriptedAttempt> arrivals = new LinkedBlockingQueue<>();
		int[] taken = { 0 };
		for (int round = 0; round < GRANTS / 20; round++) {
			this.provider.answers(arrivals::add);
			LockAttempt reader = ask(READER);
			LockAttempt writer = ask(WRITER);
			this.provider.answers(ScriptedAttempt::grant);
			ScriptedAttempt shared = arrivals.take();
			boolean givesUpFirst = round == GIVEN_UP;
			Background<Boolean> other = Background.start(() -> {
				pause(givesUpFirst, reader.outcome()::isDone, 20_000);
				shared.grant();
				return true;
			});
			pause(round == SERVED, reader.outcome()::isDone, 60_000);
			taken[0] += giveUp(reader) ? 1 : 0;
			other.join();
			handle(writer).release();
			assertThat(this.provider.openGrants()).isZero();
		}
		assertThat(taken[0]).as("grants in time").isBetween(1, GRANTS / 20 - 1);
	}

	@Test
	void queuesAreRemovedWhileOthersEnqueue() throws Exception {
		AtomicInteger holders = new AtomicInteger();
		List<Background<Boolean>> threads = new ArrayList<>();
		for (int thread = 0; thread < 2; thread++) {
			threads.add(Background.start(() -> {
				for (int round = 0; round < REMOVALS / 2; round++) {
					LockGrant handle = ask(WRITER).outcome().get().orElseThrow();
					assertThat(holders.incrementAndGet()).isEqualTo(1);
					holders.decrementAndGet();
					handle.release();
				}
				return true;
			}));
		}
		for (Background<Boolean> thread : threads) {
			joinPatiently(thread);
		}
	}

	@Test
	void aLossAtTheInstantOfTheHandOverIsToldToWhoeverHolds() throws Exception {
		for (int round = 0; round < LOSSES; round++) {
			List<ScriptedAttempt> attempts = new ArrayList<>();
			this.provider.answers((attempt) -> {
				attempts.add(attempt);
				attempt.grant();
			});
			LockAttempt first = ask(WRITER);
			LockAttempt second = ask(WRITER);
			LockGrant holder = handle(first);
			ScriptedGrant grant = attempts.get(0).granted();
			Background<Boolean> loser = Background.start(() -> {
				Spin.orYieldUpTo(20_000);
				grant.lose();
				return true;
			});
			Spin.orYieldUpTo(60_000);
			holder.release();
			loser.join();
			AtomicInteger told = new AtomicInteger();
			LockGrant next = handle(second);
			onLoss(next, told::incrementAndGet);
			assertThat(next.state() == LockState.LOST).isEqualTo(next.fencingToken() == grant.fencingToken());
			assertThat(told).hasValue(next.state() == LockState.LOST ? 1 : 0);
			next.release();
		}
	}

	@Test
	void aLossWhileReadersLeaveIsToldToNobodyTwice() throws Exception {
		for (int round = 0; round < LOSSES / 2; round++) {
			List<ScriptedAttempt> attempts = new ArrayList<>();
			this.provider.answers((attempt) -> {
				attempts.add(attempt);
				attempt.grant();
			});
			AtomicInteger told = new AtomicInteger();
			LockGrant stays = handle(ask(READER));
			LockGrant leaves = handle(ask(READER));
			AtomicInteger toldToOther = new AtomicInteger();
			onLoss(leaves, told::incrementAndGet);
			onLoss(stays, toldToOther::incrementAndGet);
			Background<Boolean> loser = Background.start(() -> {
				attempts.get(0).granted().lose();
				return true;
			});
			Spin.orYieldUpTo(60_000);
			boolean toldByItsRelease = leaves.release().join() == LockState.LOST;
			loser.join();
			Spin.until(() -> toldToOther.get() == 1);
			assertThat(told.get() == 1 || toldByItsRelease).isEqualTo(leaves.state() == LockState.LOST);
			assertThat(told.get()).isLessThanOrEqualTo(1);
			stays.release();
			assertThat(toldToOther).hasValue(1);
		}
	}

	@Test
	void contentionAtTheInstantOfTheNextUseEndsTheGrantOnce() throws Exception {
		QueueingLockProvider lingering = new QueueingLockProvider(this.provider, new QueueSettings(true, Map.of(),
				QueueUnderTest.LONG, Integer.MAX_VALUE, Integer.MAX_VALUE, QueueUnderTest.LONG, Map.of()));
		for (int round = 0; round < LOSSES; round++) {
			List<ScriptedAttempt> attempts = new ArrayList<>();
			this.provider.answers((attempt) -> {
				attempts.add(attempt);
				attempt.grant();
			});
			handle(lingering.attempt(WRITER, LockCaller.current())).release();
			ScriptedGrant grant = attempts.get(0).granted();
			Background<Boolean> other = Background.start(() -> {
				Spin.orYieldUpTo(20_000);
				grant.contend();
				return true;
			});
			Spin.orYieldUpTo(60_000);
			handle(lingering.attempt(WRITER, LockCaller.current())).release();
			other.join();
			assertThat(grant.releases()).isEqualTo(1);
			lingering.close();
			assertThat(this.provider.openGrants()).isZero();
			assertThat(lingering.queues()).isEmpty();
		}
	}

	@Test
	void stoppingWhileOthersAcquireLeavesNobodyWaiting() throws Exception {
		this.provider.answers((attempt) -> {
		});
		for (int round = 0; round < LOSSES / 2; round++) {
			HeldLocks heldLocks = new HeldLocks();
			LockTemplate template = new LockTemplate(this.queue, LockSettings.defaults(), heldLocks, List.of());
			Background<Boolean> late = Background.start(() -> {
				Spin.orYieldUpTo(10_000);
				assertThatExceptionOfType(LockServiceUnavailableException.class)
					.isThrownBy(() -> template.acquire(WRITER))
					.withMessageContaining("shutting down");
				return true;
			});
			Spin.orYieldUpTo(40_000);
			heldLocks.stop();
			assertThat(late.join()).isTrue();
			assertThat(this.queue.queues()).isEmpty();
		}
	}

	/**
	 * Close a hold on another thread while this one gives up.
	 * @return how often the giving up came too late
	 */
	private int againAndAgain(Scene scene) throws Exception {
		BlockingQueue<Runnable> closing = new LinkedBlockingQueue<>();
		BlockingQueue<Boolean> closed = new LinkedBlockingQueue<>();
		Background<Boolean> closer = Background.start(() -> {
			for (int round = 0; round < GRANTS; round++) {
				Runnable close = closing.take();
				Spin.orYieldUpTo(2_000);
				close.run();
				closed.add(true);
			}
			return true;
		});
		int taken = 0;
		for (int round = 0; round < GRANTS; round++) {
			Race race = scene.set(round);
			if (round != GIVEN_UP) {
				closing.add(race.close());
			}
			pause(round == SERVED, race.next().outcome()::isDone, 4_000);
			taken += giveUp(race.next()) ? 1 : 0;
			if (round == GIVEN_UP) {
				closing.add(race.close());
			}
			closed.take();
			if (race.last() != null) {
				handle(race.last()).release();
			}
			if (this.provider.openGrants() != 0) {
				assertThat(this.provider.openGrants()).as("open after round %d", round).isZero();
			}
		}
		closer.join();
		return taken;
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

	private LockAttempt ask(LockRequest request) {
		return this.queue.attempt(request, LockCaller.current());
	}

	private static boolean giveUp(LockAttempt attempt) {
		attempt.abandon();
		if (!attempt.outcome().isDone()) {
			throw new AssertionError("Given up and not decided");
		}
		if (attempt.outcome().isCancelled()) {
			return false;
		}
		attempt.outcome().join().orElseThrow().release();
		return true;
	}

	private static LockGrant handle(LockAttempt attempt) {
		if (!attempt.outcome().isDone()) {
			throw new AssertionError("Nobody was woken");
		}
		return attempt.outcome().join().orElseThrow();
	}

	private static void joinPatiently(Background<Boolean> thread) throws Exception {
		while (thread.isRunning()) {
			Thread.yield();
		}
		assertThat(thread.join()).isTrue();
	}

	private interface Scene {

		Race set(int round);

	}

	private record Race(Runnable close, LockAttempt next, LockAttempt last) {

	}

}
