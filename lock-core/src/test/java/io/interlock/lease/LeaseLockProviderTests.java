package io.interlock.lease;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.interlock.LockException;
import io.interlock.LockId;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSettings;
import io.interlock.template.LockTemplate;
import io.interlock.template.LockTime;
import io.interlock.testsupport.time.MovedTime;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LeaseLockProvider} on a store that fails when it is told to.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeaseLockProviderTests {

	private static final LockRequest STOCK = LockRequest.exclusive("stock");

	/** Longer than a machine stalls. It costs nothing, because it never really passes. */
	private static final Duration LEASE = Duration.ofMinutes(1);

	private final MovedTime time = new MovedTime();

	private final MapLeaseStore store = new MapLeaseStore();

	private LeaseLockProvider provider = provider(false);

	private LeaseLockProvider provider(boolean failFast) {
		return provider(Duration.ofMillis(20), failFast);
	}

	private LeaseLockProvider provider(Duration pollInterval, boolean failFast) {
		return new LeaseLockProvider(this.store,
				new LeaseSettings("test", LEASE, pollInterval, Duration.ofSeconds(10), 2, failFast),
				new MovedLeaseTime(this.time));
	}

	private void pass(Duration time) {
		this.time.advance(time, LEASE.dividedBy(100));
	}

	@AfterEach
	void close() {
		this.store.failure = null;
		this.store.sent = null;
		this.provider.close();
		this.time.close();
	}

	private LockAttempt begin() {
		return this.provider.attempt(STOCK, LockCaller.current());
	}

	private LockGrant acquire() throws Exception {
		return acquire(STOCK);
	}

	private LockGrant acquire(LockRequest request) throws Exception {
		return this.provider.attempt(request, LockCaller.current()).outcome().get(10, TimeUnit.SECONDS).orElseThrow();
	}

	@Test
	void attemptDoesNotWaitForTheStore() throws Exception {
		CountDownLatch answer = new CountDownLatch(1);
		this.store.beforeAnswer = () -> awaitUninterruptibly(answer);
		LockAttempt attempt = begin();
		assertThat(attempt.outcome()).isNotDone();
		assertThat(attempt.phase()).isEqualTo(LockAttempt.Phase.CREATING);
		answer.countDown();
		assertThat(attempt.outcome().get(10, TimeUnit.SECONDS)).isPresent();
	}

	@Test
	void newsOfTheStoreWakeAttemptsThatNameTheProvider() throws Exception {
		LockRequest named = STOCK.withProvider("billing").withWaitTime(LockRequest.FOREVER);
		this.store.holders.put(named.id(),
				new LeaseContender("other", "other", named.id(), named.mode(), named.permits(), false));
		CountDownLatch answered = new CountDownLatch(1);
		this.store.beforeAnswer = answered::countDown;
		this.store.telling = true;
		this.provider.close();
		this.provider = provider(Duration.ofSeconds(30), false);
		LockAttempt attempt = this.provider.attempt(named, LockCaller.current());
		awaitUninterruptibly(answered);
		this.store.holders.clear();
		this.store.tell(STOCK.id());
		assertThat(attempt.outcome().get(10, TimeUnit.SECONDS).orElseThrow().request().id()).isEqualTo(named.id());
	}

	@Test
	void grantThatComesAfterTheAttemptWasAbandonedIsReleased() {
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch answer = new CountDownLatch(1);
		this.store.beforeAnswer = () -> {
			asked.countDown();
			awaitUninterruptibly(answer);
		};
		LockAttempt attempt = begin();
		awaitUninterruptibly(asked);
		attempt.abandon();
		assertThat(attempt.outcome()).isCancelled();
		assertThat(this.store.holders).isNotEmpty();
		answer.countDown();
		await().untilAsserted(() -> assertThat(this.store.holders).isEmpty());
	}

	@Test
	void answerThatIsOldWhenItComesIsNoGrant() throws Exception {
		List<LeaseContender> askers = new CopyOnWriteArrayList<>();
		this.store.beforeAnswer = () -> {
			askers.addAll(this.store.holders.values());
			if (askers.size() == 1) {
				this.time.jump(LEASE.dividedBy(2));
			}
		};
		LockGrant grant = acquire();
		assertThat(grant.state() == LockState.VALID).isTrue();
		assertThat(askers).hasSizeGreaterThan(1);
		assertThat(this.store.holders.values()).singleElement().isNotEqualTo(askers.get(0));
	}

	@Test
	void clientWithoutThreadsIsAskedByTheCaller() {
		Queue<Runnable> sent = sendWithoutThreads();
		LockAttempt attempt = begin();
		assertThat(sent).hasSize(1);
		assertThat(attempt.outcome()).isNotDone();
		sent.remove().run();
		assertThat(attempt.outcome()).isCompleted();
		CompletableFuture<LockState> release = attempt.outcome().join().orElseThrow().release();
		assertThat(sent).hasSize(1);
		assertThat(release).isNotDone();
		sent.remove().run();
		assertThat(release).isCompletedWithValue(LockState.RELEASED);
	}

	@Test
	void errorInTheAnswerOfAClientEndsTheAttemptAndLeavesNoHold() {
		Queue<Runnable> sent = sendWithoutThreads();
		this.store.beforeAnswer = () -> {
			throw new OutOfMemoryError("for this test");
		};
		LockAttempt attempt = begin();
		sent.remove().run();
		assertThat(attempt.outcome()).isCompletedExceptionally();
		assertThat(this.store.holders).isNotEmpty();
		sent.remove().run();
		assertThat(this.store.holders).isEmpty();
	}

	@Test
	void closeWaitsForTheAnswerOfAClientAndReleasesTheLateGrant() throws Exception {
		Queue<Runnable> sent = sendWithoutThreads();
		LockAttempt attempt = begin();
		Thread closing = new Thread(this.provider::close, "closing");
		closing.start();
		await().until(() -> closing.getState() == Thread.State.TIMED_WAITING || !closing.isAlive());
		assertThat(attempt.outcome()).isCompletedExceptionally();
		assertThat(closing.isAlive()).isTrue();
		sent.remove().run();
		assertThat(this.store.holders).isNotEmpty();
		sent.remove().run();
		closing.join(10_000);
		assertThat(closing.isAlive()).isFalse();
		assertThat(this.store.holders).isEmpty();
		assertThat(sent).isEmpty();
	}

	@Test
	void attemptIsSentBehindAReleaseWhoseAnswerIsLate() throws Exception {
		LockGrant grant = acquire();
		Queue<Runnable> sent = sendWithoutThreads();
		this.store.ordered = true;
		grant.release();
		LockAttempt attempt = begin();
		assertThat(sent).hasSize(2);
		sent.remove().run();
		sent.remove().run();
		assertThat(attempt.outcome()).isCompletedWithValueMatching(Optional::isPresent);
		assertThat(attempt.outcome().join().orElseThrow().contended()).isFalse();
		assertThat(sent).isEmpty();
	}

	@Test
	void attemptWaitsForTheReleaseInFrontInAStoreThatKeepsNoOrder() throws Exception {
		LockGrant grant = acquire();
		Queue<Runnable> sent = sendWithoutThreads();
		grant.release();
		LockAttempt attempt = begin();
		assertThat(sent).hasSize(1);
		sent.remove().run();
		assertThat(sent).hasSize(1);
		sent.remove().run();
		assertThat(attempt.outcome()).isCompletedWithValueMatching(Optional::isPresent);
	}

	@Test
	void tryThatOvertakesTheReleaseInFrontAsksAgainAfterIt() throws Exception {
		LockGrant grant = acquire();
		Queue<Runnable> sent = sendWithoutThreads();
		this.store.ordered = true;
		grant.release();
		Runnable release = sent.remove();
		LockAttempt attempt = tryOnce();
		sent.remove().run();
		assertThat(attempt.outcome()).isNotDone();
		this.store.tell(STOCK.id());
		assertThat(sent).isEmpty();
		release.run();
		assertThat(sent).hasSize(1);
		sent.remove().run();
		assertThat(attempt.outcome()).isCompletedWithValueMatching(Optional::isPresent);
		assertThat(attempt.outcome().join().orElseThrow().contended()).isFalse();
	}

	@Test
	void tryIsRefusedBehindAnotherHolderThanTheOneThatIsReleased() throws Exception {
		LockGrant grant = acquire();
		Queue<Runnable> sent = sendWithoutThreads();
		this.store.ordered = true;
		grant.release();
		LockAttempt attempt = tryOnce();
		sent.remove().run();
		this.store.handOver(new LeaseContender("other", "other", STOCK.id(), STOCK.mode(), 1, false));
		sent.remove().run();
		sent.remove().run();
		assertThat(attempt.outcome()).isCompletedWithValue(Optional.empty());
		assertThat(sent).isEmpty();
		this.store.requests.set(0);
		LockAttempt next = tryOnce();
		sent.remove().run();
		assertThat(next.outcome()).isCompletedWithValue(Optional.empty());
		assertThat(this.store.requests).hasValue(1);
	}

	@Test
	void tryThatIsGivenUpWhileItWaitsForTheReleaseInFrontAsksNoMore() throws Exception {
		LockGrant grant = acquire();
		Queue<Runnable> sent = sendWithoutThreads();
		this.store.ordered = true;
		grant.release();
		Runnable release = sent.remove();
		LockAttempt attempt = tryOnce();
		sent.remove().run();
		attempt.abandon();
		release.run();
		assertThat(attempt.outcome()).isCancelled();
		assertThat(sent).isEmpty();
		this.provider.close();
		assertThat(this.store.holders).isEmpty();
	}

	@Test
	void tryIsAnsweredWhenTheReleaseInFrontFails() throws Exception {
		LockGrant grant = acquire();
		Queue<Runnable> sent = sendWithoutThreads();
		this.store.ordered = true;
		grant.release();
		Runnable release = sent.remove();
		LockAttempt attempt = tryOnce();
		sent.remove().run();
		this.store.failure = LeaseStoreException.passing("the test has an outage", null);
		release.run();
		this.store.failure = null;
		sent.remove().run();
		assertThat(attempt.outcome()).isCompletedWithValue(Optional.empty());
	}

	@Test
	void attemptThatOvertakesTheReleaseInFrontAsksAgainWithoutAPoll() throws Exception {
		this.provider.close();
		this.provider = provider(Duration.ofHours(1), false);
		this.store.telling = true;
		LockGrant grant = acquire();
		Queue<Runnable> sent = sendWithoutThreads();
		this.store.ordered = true;
		grant.release();
		Runnable release = sent.remove();
		LockAttempt attempt = begin();
		sent.remove().run();
		assertThat(attempt.phase()).isEqualTo(LockAttempt.Phase.CREATING);
		release.run();
		assertThat(attempt.outcome().get(10, TimeUnit.SECONDS)).isPresent();
	}

	private LockAttempt tryOnce() {
		return this.provider.attempt(STOCK.withWaitTime(Duration.ZERO), LockCaller.current());
	}

	private Queue<Runnable> sendWithoutThreads() {
		Queue<Runnable> sent = new ConcurrentLinkedQueue<>();
		this.store.sent = sent;
		return sent;
	}

	/** A store that keeps the order forgets a waiter whose lease ends. */
	@Test
	void waiterOfAnInstanceWithoutHoldsIsRenewed() {
		LeaseContender other = new LeaseContender("other", "other", STOCK.id(), STOCK.mode(), STOCK.permits(), false);
		this.store.holders.put(STOCK.id(), other);
		LockAttempt waiting = begin();
		await().until(() -> waiting.phase() == LockAttempt.Phase.QUEUED);
		pass(LEASE);
		await().until(() -> !this.store.renewed.isEmpty());
		assertThat(this.store.renewed).doesNotContain(other);
		waiting.abandon();
	}

	@Test
	void renewsAllHoldsInOneRequest() throws Exception {
		for (int key = 0; key < 20; key++) {
			assertThat(
					this.provider.attempt(STOCK.withKey(key), LockCaller.current()).outcome().get(10, TimeUnit.SECONDS))
				.isPresent();
		}
		pass(LEASE);
		assertThat(this.store.renewals).hasValueGreaterThan(1).hasValueLessThan(20);
	}

	@Test
	void renewalThatFailsMakesTheHoldUnconfirmedAndTheNextOneValidAgain() throws Exception {
		LockGrant grant = acquire();
		List<LockState> states = new CopyOnWriteArrayList<>();
		grant.onStateChange(states::add);
		this.store.renewalsFail = true;
		pass(LEASE.dividedBy(2));
		assertThat(grant.state()).isEqualTo(LockState.UNCONFIRMED);
		assertThat(grant.isCovered()).isTrue();
		this.store.renewalsFail = false;
		pass(LEASE.dividedBy(10));
		assertThat(grant.state() == LockState.VALID).isTrue();
		assertThat(states).containsExactly(LockState.UNCONFIRMED, LockState.VALID);
	}

	@Test
	void holdIsLostBeforeItsLeaseIsOver() throws Exception {
		LockGrant grant = acquire();
		CompletableFuture<Long> toldAt = new CompletableFuture<>();
		grant.onStateChange((state) -> {
			if (state == LockState.LOST) {
				toldAt.complete(this.time.nanoTime());
			}
		});
		this.store.renewalsFail = true;
		long before = this.time.nanoTime();
		pass(LEASE);
		assertThat(Duration.ofNanos(toldAt.get(10, TimeUnit.SECONDS) - before)).isLessThan(LEASE);
		assertThat(grant.state()).isEqualTo(LockState.LOST);
		await().untilAsserted(() -> assertThat(this.store.holders).isEmpty());
	}

	@Test
	void holdThatTheStoreDoesNotKnowIsLost() throws Exception {
		LockGrant grant = acquire();
		this.store.holders.clear();
		pass(LEASE.dividedBy(2));
		assertThat(grant.state() == LockState.LOST).isTrue();
	}

	@Test
	void partOfTheStoreThatIsAwayCostsItsOwnHoldsOnly(CapturedOutput output) throws Exception {
		LockGrant other = acquire(LockRequest.exclusive("other"));
		LockGrant grant = acquire();
		this.store.unanswered.add(grant.request().id());
		pass(LEASE.dividedBy(2));
		await().until(() -> grant.state() == LockState.UNCONFIRMED);
		assertThat(grant.isCovered()).isTrue();
		assertThat(other.state() == LockState.VALID).isTrue();
		assertThat(this.provider.snapshot()).satisfies((snapshot) -> {
			assertThat(snapshot.state()).isEqualTo(LeaseStoreSnapshot.State.SUSPENDED);
			assertThat(snapshot.failure()).contains("a part of the store is away");
		});
		assertThat(output).containsOnlyOnce("The leases of 1 of 2 locks were not renewed");
		this.store.unanswered.clear();
		pass(LEASE.dividedBy(20));
		await().until(() -> grant.state() == LockState.VALID);
		assertThat(this.provider.snapshot().state()).isEqualTo(LeaseStoreSnapshot.State.CONNECTED);
		this.store.unanswered.add(grant.request().id());
		pass(LEASE.dividedBy(10).multipliedBy(8));
		assertThat(grant.isCovered()).isTrue();
		pass(LEASE);
		await().until(() -> grant.state() == LockState.LOST);
		assertThat(other.state() == LockState.VALID).isTrue();
	}

	@Test
	void partOfTheStoreThatIsAwayIsAskedOftenAndTheOthersAsBefore() throws Exception {
		LockGrant other = acquire(LockRequest.exclusive("other"));
		LockGrant grant = acquire();
		this.store.unanswered.add(grant.request().id());
		pass(LEASE.multipliedBy(2).dividedBy(3));
		await().until(() -> grant.state() == LockState.UNCONFIRMED);
		assertThat(renewals(grant)).isGreaterThan(20);
		assertThat(renewals(other)).isLessThan(10);
	}

	private long renewals(LockGrant grant) {
		return this.store.renewed.stream().filter((contender) -> contender.lock().equals(grant.request().id())).count();
	}

	@Test
	void holdThatIsPassedOverIsAskedForAgainAloneAndCostsNoOther() throws Exception {
		LockGrant other = acquire(LockRequest.exclusive("other"));
		LockGrant grant = acquire();
		this.store.passedOver.add(grant.request().id());
		pass(LEASE.multipliedBy(3).dividedBy(4));
		await().until(() -> grant.state() == LockState.UNCONFIRMED);
		assertThat(grant.isCovered()).isTrue();
		assertThat(other.state() == LockState.LOST).isFalse();
		this.store.passedOver.clear();
		pass(LEASE.dividedBy(10));
		await().until(() -> grant.state() == LockState.VALID);
		this.store.passedOver.add(grant.request().id());
		pass(LEASE.multipliedBy(2));
		await().until(() -> grant.state() == LockState.LOST);
		assertThat(other.state() == LockState.LOST).isFalse();
		assertThat(renewals(grant)).isGreaterThan(renewals(other) + 20);
	}

	/** Eleven of fifteen seconds, from any moment between two renewals. */
	@Test
	void holdOutlivesAnOutageOfElevenFifteenthsOfItsLease() throws Exception {
		List<LockState> states = new CopyOnWriteArrayList<>();
		LockGrant grant = acquire();
		grant.onStateChange(states::add);
		for (int begin = 1; begin <= 40; begin++) {
			pass(LEASE.multipliedBy(begin).dividedBy(100));
			this.store.renewalsFail = true;
			pass(LEASE.multipliedBy(11).dividedBy(15));
			this.store.renewalsFail = false;
			pass(LEASE.dividedBy(10));
			await().until(() -> grant.state() == LockState.VALID);
		}
		assertThat(states).doesNotContain(LockState.LOST);
	}

	@Test
	void attemptAsksOnceASecondBehindAHolderThatStays() throws Exception {
		acquire();
		LockAttempt waiting = begin();
		await().until(() -> waiting.phase() == LockAttempt.Phase.QUEUED);
		this.time.advance(Duration.ofSeconds(30), Duration.ofMillis(100));
		this.store.requests.set(0);
		this.time.advance(Duration.ofSeconds(60), Duration.ofMillis(50));
		assertThat(this.store.requests).hasValueBetween(30, 300);
		waiting.abandon();
	}

	@Test
	void attemptAsksOftenAgainBehindAnotherHolder() throws Exception {
		acquire();
		LockAttempt waiting = begin();
		await().until(() -> waiting.phase() == LockAttempt.Phase.QUEUED);
		this.time.advance(Duration.ofSeconds(30), Duration.ofMillis(100));
		// A machine that stalls lets one holder stay for longer.
		await().until(() -> requestsBehindAnotherHolder() > 5);
		waiting.abandon();
	}

	/**
	 * Let another contender hold the lock, and count the questions of half a second.
	 */
	private int requestsBehindAnotherHolder() {
		this.store.handOver(new LeaseContender("other", "other", STOCK.id(), STOCK.mode(), 1, false));
		this.time.advance(Duration.ofSeconds(1), Duration.ofMillis(100));
		this.store.requests.set(0);
		this.time.advance(Duration.ofMillis(500), Duration.ofMillis(20));
		return this.store.requests.get();
	}

	@Test
	void attemptAsksOnceASecondAtMostWhileTheStoreTells() throws Exception {
		this.store.telling = true;
		acquire();
		LockAttempt waiting = begin();
		await().until(() -> waiting.phase() == LockAttempt.Phase.QUEUED);
		long before = this.time.nanoTime();
		this.store.requests.set(0);
		this.time.advance(Duration.ofSeconds(30), Duration.ofMillis(50));
		int requests = this.store.requests.get();
		assertThat(requests).isGreaterThan(20)
			.isLessThanOrEqualTo(1 + (int) TimeUnit.NANOSECONDS.toSeconds(this.time.nanoTime() - before));
		waiting.abandon();
	}

	@Test
	void attemptAsksAtOnceWhenItIsToldOfARelease() throws Exception {
		this.provider.close();
		this.provider = provider(Duration.ofHours(1), false);
		this.store.telling = true;
		holdElsewhere();
		LockAttempt waiting = begin();
		LockAttempt elsewhere = this.provider.attempt(STOCK.withKey(1), LockCaller.current());
		assertThat(elsewhere.outcome().get(10, TimeUnit.SECONDS)).isPresent();
		await().until(() -> waiting.phase() == LockAttempt.Phase.QUEUED);
		this.store.holders.remove(STOCK.id());
		this.store.tell(new LockId("stock", "2"));
		this.time.advance(Duration.ofMinutes(10), Duration.ofMinutes(1));
		assertThat(waiting.outcome()).isNotDone();
		this.store.tell(STOCK.id());
		assertThat(waiting.outcome().get(10, TimeUnit.SECONDS)).isPresent();
	}

	@Test
	void newsThatComesBetweenAnAnswerAndItsReceiptCostsNoPause() throws Exception {
		this.provider.close();
		this.provider = provider(Duration.ofHours(1), false);
		this.store.telling = true;
		holdElsewhere();
		this.store.beforeAnswer = () -> {
			this.store.holders.remove(STOCK.id());
			this.store.tell(STOCK.id());
		};
		assertThat(begin().outcome()).succeedsWithin(Duration.ofSeconds(10))
			.satisfies((grant) -> assertThat(grant).isPresent());
	}

	@Test
	void attemptAsksOftenAgainWhenTheStoreCannotTellAnyMore() throws Exception {
		this.store.telling = true;
		acquire();
		LockAttempt waiting = begin();
		await().until(() -> waiting.phase() == LockAttempt.Phase.QUEUED);
		this.store.telling = false;
		this.store.requests.set(0);
		this.store.tell(STOCK.id());
		await().untilAsserted(() -> assertThat(this.store.requests).hasValueGreaterThan(0));
		this.time.advance(Duration.ofMillis(200), Duration.ofMillis(10));
		assertThat(this.store.requests).hasValueGreaterThan(2);
		waiting.abandon();
	}

	@Test
	void newsThatEndsDuringAQuestionCostsNoSecond() throws Exception {
		this.store.telling = true;
		acquire();
		this.store.beforeAnswer = () -> this.store.telling = false;
		LockAttempt waiting = begin();
		await().until(() -> waiting.phase() == LockAttempt.Phase.QUEUED);
		this.time.advance(Duration.ofMillis(200), Duration.ofMillis(10));
		assertThat(this.store.requests).hasValueGreaterThan(3);
		waiting.abandon();
	}

	/**
	 * The longest pause is a second, the poll interval if that is longer, and a question
	 * that is under way comes before it.
	 */
	@ParameterizedTest
	@CsvSource({ "false, 20, 1000", "true, 20, 1000", "false, 3000, 3000", "true, 3000, 3000" })
	void releaseThatIsNotToldCostsTheLongestPauseAtMost(boolean telling, int pollMillis, int longestMillis)
			throws Exception {
		this.provider.close();
		this.provider = provider(Duration.ofMillis(pollMillis), false);
		this.store.telling = telling;
		holdElsewhere();
		LockAttempt waiting = begin();
		await().until(() -> waiting.phase() == LockAttempt.Phase.QUEUED);
		this.time.advance(Duration.ofMinutes(5), Duration.ofSeconds(1));
		assertThat(waiting.outcome()).isNotDone();
		this.store.holders.remove(STOCK.id());
		Duration step = Duration.ofMillis(100);
		this.time.advance(Duration.ofMillis(longestMillis).plus(step), step);
		assertThat(waiting.outcome()).isCompletedWithValueMatching(Optional::isPresent);
	}

	@Test
	void outageIsToldWithItsCause() {
		LeaseStoreException outage = LeaseStoreException.passing("the test has an outage", null);
		this.store.failure = outage;
		LockTemplate template = new LockTemplate(this.provider,
				new LockSettings(Duration.ofMinutes(1), Map.of(), Duration.ofMinutes(1)),
				new HeldLocks(new DeadlineAfter((attempt) -> await().until(() -> this.store.requests.get() > 1))),
				List.of());
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> template.acquire(STOCK.withWaitTime(Duration.ofMinutes(5))))
			.withMessageContaining("stock")
			.withMessageContaining("the test has an outage")
			.withCause(outage);
		assertThat(this.store.requests).hasValueGreaterThan(1);
		this.store.failure = null;
		new LockTemplate(this.provider).acquire(STOCK).close();
	}

	/**
	 * Each question is answered within a poll interval, here of an hour, and a second.
	 */
	@ParameterizedTest
	@CsvSource({ "1, io.interlock.LockNotAcquiredException", "3, io.interlock.LockServiceUnavailableException" })
	void storeThatLeavesAWaiterWithoutAnAnswerIsToldAsAnOutage(int silentHours,
			Class<? extends LockException> expected) {
		this.provider.close();
		this.provider = provider(Duration.ofHours(1), false);
		holdElsewhere();
		CountDownLatch answer = new CountDownLatch(1);
		LockTime time = new DeadlineAfter((attempt) -> {
			await().until(() -> attempt.phase() == LockAttempt.Phase.QUEUED);
			this.store.beforeAnswer = () -> awaitUninterruptibly(answer);
			this.store.tell(STOCK.id());
			this.time.jump(Duration.ofHours(silentHours));
		});
		LockTemplate template = new LockTemplate(this.provider,
				new LockSettings(Duration.ofMinutes(1), Map.of(), Duration.ofMinutes(1)), new HeldLocks(time),
				List.of());
		assertThatExceptionOfType(expected)
			.isThrownBy(() -> template.acquire(STOCK.withWaitTime(Duration.ofMinutes(5))));
		answer.countDown();
	}

	private void holdElsewhere() {
		this.store.handOver(new LeaseContender("other", "other", STOCK.id(), STOCK.mode(), 1, false));
	}

	@Test
	void failureThatStaysIsToldAtOnce() {
		LeaseStoreException missing = LeaseStoreException.lasting("there is no table", null);
		this.store.failure = missing;
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> new LockTemplate(this.provider).acquire(STOCK.withWaitTime(Duration.ofMinutes(5))))
			.withMessageContaining("there is no table");
	}

	@Test
	void failFastTellsAnOutageAtOnce() {
		this.provider.close();
		this.provider = provider(true);
		this.store.failure = LeaseStoreException.passing("the test has an outage", null);
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> new LockTemplate(this.provider).acquire(STOCK.withWaitTime(Duration.ofMinutes(5))))
			.withMessageContaining("the test has an outage");
		assertThat(this.store.requests).hasValue(1);
	}

	@Test
	void releaseIsTriedUntilTheStoreAnswers() throws Exception {
		LockGrant grant = acquire();
		this.store.failure = LeaseStoreException.passing("the test has an outage", null);
		assertThat(grant.release()).isNotDone();
		assertThat(this.provider.pendingReleases()).isOne();
		this.store.failure = null;
		await().untilAsserted(() -> assertThat(this.store.holders).isEmpty());
	}

	@Test
	void releaseWhoseAnswerWasLostIsNoLoss() throws Exception {
		LockGrant grant = acquire();
		this.store.beforeReleased = () -> {
			this.store.beforeReleased = () -> {
			};
			throw LeaseStoreException.passing("the test loses the answer", null);
		};
		CompletableFuture<LockState> release = grant.release();
		pass(Duration.ofSeconds(1));
		assertThat(release).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(LockState.RELEASED);
	}

	@Test
	void holdThatIsGoneAfterReleaseWasUndoneIsLost() throws Exception {
		LockGrant grant = acquire();
		this.store.failure = LeaseStoreException.undone("the test locks the row", null);
		CompletableFuture<LockState> release = grant.release();
		pass(Duration.ofSeconds(1));
		assertThat(release).isNotDone();
		this.store.holders.clear();
		this.store.failure = null;
		pass(Duration.ofSeconds(2));
		assertThat(release).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(LockState.LOST);
	}

	@Test
	void attemptThatWasUndoneAsksAgainEvenIfItFailsFast() throws Exception {
		this.provider.close();
		this.provider = provider(true);
		this.store.failure = LeaseStoreException.undone("the test locks the row", null);
		LockAttempt attempt = begin();
		pass(Duration.ofSeconds(2));
		assertThat(attempt.outcome()).isNotDone();
		assertThat(attempt.obstacle()).hasMessage("the test locks the row");
		this.store.failure = null;
		pass(Duration.ofSeconds(2));
		assertThat(attempt.outcome().get(10, TimeUnit.SECONDS)).isPresent();
	}

	@Test
	void waiterKeepsItsPlaceWhenItsQuestionWasUndone() throws Exception {
		LockGrant holder = acquire();
		LockAttempt waiter = this.provider.attempt(STOCK.withWaitTime(LockRequest.FOREVER), LockCaller.current());
		await().untilAsserted(() -> assertThat(waiter.phase()).isEqualTo(LockAttempt.Phase.QUEUED));
		int asked = this.store.requests.get();
		this.store.failure = LeaseStoreException.undone("the test locks the row", null);
		pass(Duration.ofMillis(500));
		assertThat(this.store.requests.get()).isGreaterThan(asked);
		assertThat(waiter.phase()).isEqualTo(LockAttempt.Phase.QUEUED);
		assertThat(waiter.obstacle()).isNull();
		this.store.failure = null;
		holder.release();
		pass(Duration.ofSeconds(2));
		assertThat(waiter.outcome().get(10, TimeUnit.SECONDS)).isPresent();
	}

	@Test
	void releaseEndsWithTheLease() throws Exception {
		LockGrant grant = acquire();
		this.store.failure = LeaseStoreException.passing("the test has an outage", null);
		CompletableFuture<LockState> release = grant.release();
		assertThat(release).isNotDone();
		pass(LEASE);
		assertThat(release.get(10, TimeUnit.SECONDS)).isEqualTo(LockState.RELEASED);
		assertThat(this.provider.pendingReleases()).isZero();
	}

	@Test
	void modesThatTheStoreCannotServeAreRefused() {
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> new LockTemplate(this.provider).acquire(LockRequest.shared("stock")))
			.withMessageContaining("stock")
			.withMessageContaining("SHARED")
			.withMessageContaining("interlock.provider");
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> new LockTemplate(this.provider).acquireAsync(LockRequest.semaphore("stock", 2)));
	}

	@Test
	void closedProviderRefusesAttemptsAndEndsHolds() throws Exception {
		LockGrant grant = acquire();
		LockAttempt waiting = begin();
		await().until(() -> waiting.phase() == LockAttempt.Phase.QUEUED);
		this.provider.close();
		assertThat(waiting.outcome()).failsWithin(Duration.ofSeconds(1))
			.withThrowableThat()
			.withCauseInstanceOf(LockServiceUnavailableException.class);
		assertThat(grant.state() == LockState.LOST).isTrue();
		assertThat(this.store.holders).isEmpty();
		Optional<LockGrant> late = begin().outcome().exceptionally((failure) -> Optional.empty()).join();
		assertThat(late).isEmpty();
	}

	@Test
	void requestUnderWayLeavesNoHoldWhenTheProviderIsClosed() throws Exception {
		CountDownLatch answer = new CountDownLatch(1);
		CountDownLatch asked = new CountDownLatch(1);
		this.store.beforeAnswer = () -> {
			asked.countDown();
			awaitUninterruptibly(answer);
		};
		LockAttempt attempt = begin();
		assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
		Thread closing = new Thread(this.provider::close, "closing");
		closing.start();
		await().until(() -> closing.getState() == Thread.State.TIMED_WAITING || !closing.isAlive());
		answer.countDown();
		closing.join(10_000);
		assertThat(closing.isAlive()).isFalse();
		assertThat(attempt.outcome()).isCompletedExceptionally();
		assertThat(this.store.holders).isEmpty();
	}

	static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Deadlines come when something has happened.
	 */
	private static final class DeadlineAfter extends LockTime {

		private final Consumer<LockAttempt> event;

		DeadlineAfter(Consumer<LockAttempt> event) {
			this.event = event;
		}

		@Override
		protected long nanoTime() {
			return System.nanoTime();
		}

		@Override
		protected @Nullable Future<?> schedule(Runnable task, long nanos) {
			return null;
		}

		@Override
		protected Optional<LockGrant> await(LockRequest request, LockAttempt attempt, long nanos)
				throws InterruptedException, ExecutionException, TimeoutException {
			this.event.accept(attempt);
			return attempt.outcome().get(0, TimeUnit.NANOSECONDS);
		}

	}

}
