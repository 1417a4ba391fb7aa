package io.interlock.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockAttempt;
import io.interlock.LockHandle;
import io.interlock.LockOwner;
import io.interlock.LockRequest;
import io.interlock.testing.Background;
import io.interlock.testing.InMemoryAttempt;
import io.interlock.testing.InMemoryHandle;
import io.interlock.testing.InMemoryLockProvider;
import io.interlock.testing.Spin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static io.interlock.queue.QueueUnderTest.READER;
import static io.interlock.queue.QueueUnderTest.WRITER;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Races in {@link QueueingLockProvider}: two things that happen at the same instant,
 * again and again.
 */
@Timeout(120)
class QueueRaceTests {

	private static final int GRANTS = 100_000;

	private static final int REMOVALS = 1_000_000;

	private static final int LOSSES = 10_000;

	private final InMemoryLockProvider provider = new InMemoryLockProvider().forgetting();

	private final QueueingLockProvider queue = new QueueingLockProvider(this.provider,
			QueueUnderTest.settings(QueueUnderTest.LONG, Integer.MAX_VALUE, Integer.MAX_VALUE));

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(this.provider.openHandles()).as("grants left open").isZero();
		assertThat(this.queue.queues()).as("queues left").isEmpty();
	}

	@Test
	void theLastWaiterLeavesAtTheInstantOfTheGrant() throws Exception {
		BlockingQueue<InMemoryAttempt> arrivals = new LinkedBlockingQueue<>();
		this.provider.answers(arrivals::add);
		BlockingQueue<Boolean> granted = new LinkedBlockingQueue<>();
		Background<Boolean> service = Background.start(() -> {
			for (int round = 0; round < GRANTS; round++) {
				InMemoryAttempt attempt = arrivals.take();
				Spin.orYieldUpTo(2_000);
				attempt.grant();
				granted.add(true);
			}
			return true;
		});
		int taken = 0;
		for (int round = 0; round < GRANTS; round++) {
			LockAttempt attempt = ask(WRITER);
			Spin.orYieldUpTo(4_000);
			taken += giveUp(attempt) ? 1 : 0;
			granted.take();
		}
		service.join();
		assertThat(taken).as("grants in time").isBetween(1, GRANTS - 1);
	}

	@Test
	void theNextOneLeavesAtTheInstantOfTheHandOver() throws Exception {
		int taken = againAndAgain((round) -> {
			LockHandle holder = handle(ask(WRITER));
			LockAttempt next = ask(WRITER);
			LockAttempt last = ask(WRITER);
			return new Race(holder::close, next, last);
		});
		assertThat(taken).as("hand-overs in time").isBetween(1, GRANTS - 1);
	}

	@Test
	void theOnlyOneWhoWaitsLeavesAtTheInstantOfTheHandOver() throws Exception {
		int taken = againAndAgain((round) -> {
			LockHandle holder = handle(ask(WRITER));
			return new Race(holder::close, ask(WRITER), null);
		});
		assertThat(taken).as("hand-overs in time").isBetween(1, GRANTS - 1);
	}

	@Test
	void theFirstOneOfAnotherModeLeavesAtTheInstantOfTheGrant() throws Exception {
		BlockingQueue<InMemoryAttempt> arrivals = new LinkedBlockingQueue<>();
		int[] taken = { 0 };
		for (int round = 0; round < GRANTS / 20; round++) {
			this.provider.answers(arrivals::add);
			LockAttempt reader = ask(READER);
			LockAttempt writer = ask(WRITER);
			this.provider.answers(InMemoryAttempt::grant);
			InMemoryAttempt shared = arrivals.take();
			Background<Boolean> other = Background.start(() -> {
				Spin.orYieldUpTo(20_000);
				shared.grant();
				return true;
			});
			Spin.orYieldUpTo(60_000);
			taken[0] += giveUp(reader) ? 1 : 0;
			other.join();
			handle(writer).close();
			assertThat(this.provider.openHandles()).isZero();
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
					LockHandle handle = ask(WRITER).outcome().get().orElseThrow();
					assertThat(holders.incrementAndGet()).isEqualTo(1);
					holders.decrementAndGet();
					handle.close();
				}
				return true;
			}));
		}
		for (Background<Boolean> thread : threads) {
			joinPatiently(thread);
		}
	}

	@Test
	void everybodyDoesEverythingAtOnce() throws Exception {
		// A real exclusion is what the queue itself has to keep while nothing expires.
		AtomicInteger writers = new AtomicInteger();
		AtomicInteger readers = new AtomicInteger();
		List<Background<Boolean>> threads = new ArrayList<>();
		SerialLockService service = new SerialLockService();
		QueueingLockProvider strict = new QueueingLockProvider(service,
				QueueUnderTest.settings(Duration.ofNanos(200_000), 20, Integer.MAX_VALUE));
		for (int thread = 0; thread < 6; thread++) {
			threads.add(Background.start(() -> {
				ThreadLocalRandom random = ThreadLocalRandom.current();
				for (int round = 0; round < 5_000; round++) {
					LockRequest request = random.nextInt(3) == 0 ? WRITER : READER;
					boolean once = random.nextInt(8) == 0;
					LockAttempt attempt = strict.attempt(once ? request.withWaitTime(Duration.ZERO) : request,
							LockOwner.current());
					if (random.nextInt(4) == 0) {
						attempt.abandon();
					}
					LockHandle handle = attempt.outcome()
						.exceptionally((failure) -> Optional.empty())
						.get()
						.orElse(null);
					if (handle != null) {
						assertExcluded(request, writers, readers);
						handle.close();
					}
				}
				return true;
			}));
		}
		for (Background<Boolean> thread : threads) {
			joinPatiently(thread);
		}
		assertThat(strict.queues()).isEmpty();
		assertThat(service.nodes()).isZero();
	}

	@Test
	void aLossAtTheInstantOfTheHandOverIsToldToWhoeverHolds() throws Exception {
		for (int round = 0; round < LOSSES; round++) {
			List<InMemoryAttempt> attempts = new ArrayList<>();
			this.provider.answers((attempt) -> {
				attempts.add(attempt);
				attempt.grant();
			});
			LockAttempt first = ask(WRITER);
			LockAttempt second = ask(WRITER);
			LockHandle holder = handle(first);
			InMemoryHandle grant = attempts.get(0).handle();
			Background<Boolean> loser = Background.start(() -> {
				Spin.orYieldUpTo(20_000);
				grant.lose();
				return true;
			});
			Spin.orYieldUpTo(60_000);
			holder.close();
			loser.join();
			AtomicInteger told = new AtomicInteger();
			LockHandle next = handle(second);
			next.onLoss(told::incrementAndGet);
			assertThat(next.isLost()).isEqualTo(next.fencingToken() == grant.fencingToken());
			assertThat(told).hasValue(next.isLost() ? 1 : 0);
			next.close();
		}
	}

	@Test
	void aLossWhileReadersLeaveIsToldToNobodyTwice() throws Exception {
		for (int round = 0; round < LOSSES / 2; round++) {
			List<InMemoryAttempt> attempts = new ArrayList<>();
			this.provider.answers((attempt) -> {
				attempts.add(attempt);
				attempt.grant();
			});
			AtomicInteger told = new AtomicInteger();
			LockHandle stays = handle(ask(READER));
			LockHandle leaves = handle(ask(READER));
			AtomicInteger toldToOther = new AtomicInteger();
			leaves.onLoss(told::incrementAndGet);
			stays.onLoss(toldToOther::incrementAndGet);
			Background<Boolean> loser = Background.start(() -> {
				attempts.get(0).handle().lose();
				return true;
			});
			Spin.orYieldUpTo(60_000);
			leaves.close();
			loser.join();
			Spin.until(() -> toldToOther.get() == 1);
			assertThat(told).hasValue(leaves.isLost() ? 1 : 0);
			stays.close();
			assertThat(toldToOther).hasValue(1);
		}
	}

	@Test
	void stoppingWhileOthersEnqueueLeavesNobodyWaiting() throws Exception {
		for (int round = 0; round < LOSSES / 2; round++) {
			this.provider.answers((attempt) -> {
			});
			QueueingLockProvider stopping = new QueueingLockProvider(this.provider, QueueSettings.defaults());
			Background<LockAttempt> late = Background.start(() -> {
				Spin.orYieldUpTo(10_000);
				return stopping.attempt(WRITER, LockOwner.current());
			});
			Spin.orYieldUpTo(40_000);
			stopping.refuse();
			LockAttempt attempt = late.join();
			Spin.until(attempt.outcome()::isDone);
			assertThat(attempt.outcome()).isCompletedExceptionally();
			assertThat(stopping.queues()).isEmpty();
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
			closing.add(race.close());
			Spin.orYieldUpTo(4_000);
			taken += giveUp(race.next()) ? 1 : 0;
			closed.take();
			if (race.last() != null) {
				handle(race.last()).close();
			}
			if (this.provider.openHandles() != 0) {
				assertThat(this.provider.openHandles()).as("open after round %d", round).isZero();
			}
		}
		closer.join();
		return taken;
	}

	private LockAttempt ask(LockRequest request) {
		return this.queue.attempt(request, LockOwner.current());
	}

	private static boolean giveUp(LockAttempt attempt) {
		attempt.abandon();
		if (!attempt.outcome().isDone()) {
			throw new AssertionError("Given up and not decided");
		}
		if (attempt.outcome().isCancelled()) {
			return false;
		}
		attempt.outcome().join().orElseThrow().close();
		return true;
	}

	private static LockHandle handle(LockAttempt attempt) {
		if (!attempt.outcome().isDone()) {
			throw new AssertionError("Nobody was woken");
		}
		return attempt.outcome().join().orElseThrow();
	}

	private static void assertExcluded(LockRequest request, AtomicInteger writers, AtomicInteger readers) {
		boolean writes = request == WRITER;
		(writes ? writers : readers).incrementAndGet();
		boolean alone = writers.get() == 0 || (writes && writers.get() == 1 && readers.get() == 0);
		(writes ? writers : readers).decrementAndGet();
		assertThat(alone).isTrue();
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
