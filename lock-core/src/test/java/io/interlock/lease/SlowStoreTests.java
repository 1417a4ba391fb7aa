package io.interlock.lease;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockAttempt.Phase;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.thread.Spin;
import io.interlock.testsupport.time.MovedTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for contenders that wait while the store takes long to answer: each question
 * takes a time that the test moves.
 */
class SlowStoreTests {

	private static final Duration ANSWER = Duration.ofMillis(400);

	private static final String FREE = "prices";

	private static final LockRequest TRY = LockRequest.exclusive("stock").withWaitTime(Duration.ZERO);

	private static final LockRequest TRY_FREE = LockRequest.exclusive(FREE).withWaitTime(Duration.ZERO);

	private static final LockRequest TRY_OTHER = LockRequest.exclusive("other").withWaitTime(Duration.ZERO);

	private final MovedTime time = new MovedTime();

	private final MapLeaseStore store = new MapLeaseStore();

	private final LeaseLockProvider provider = new LeaseLockProvider(this.store,
			new LeaseSettings("test", Duration.ofMinutes(1), Duration.ofMillis(50), Duration.ofSeconds(10), 2, false),
			new MovedLeaseTime(this.time));

	/** Phases of the newest attempt, right before each of its answers. */
	private final List<Phase> phases = new CopyOnWriteArrayList<>();

	/** What a client without threads has sent. */
	private final Queue<Runnable> sent = new ConcurrentLinkedQueue<>();

	private volatile CompletableFuture<LockAttempt> newest = new CompletableFuture<>();

	@BeforeEach
	void acquire() throws Exception {
		this.provider.attempt(request(), LockCaller.current()).outcome().get(10, TimeUnit.SECONDS).orElseThrow();
	}

	@AfterEach
	void close() {
		this.store.sent = null;
		this.sent.forEach(Runnable::run);
		this.store.beforeAnswer = () -> {
		};
		this.provider.close();
		this.time.close();
	}

	private static LockRequest request() {
		return request("stock");
	}

	private static LockRequest request(String name) {
		return LockRequest.exclusive(name).withWaitTime(Duration.ofMinutes(10));
	}

	private LockAttempt begin() {
		return begin(request());
	}

	private LockAttempt begin(LockRequest request) {
		CompletableFuture<LockAttempt> begun = new CompletableFuture<>();
		this.newest = begun;
		begun.complete(this.provider.attempt(request, LockCaller.current()));
		return begun.join();
	}

	private void answersTake(Duration answer) {
		this.store.beforeAnswer = () -> {
			LockAttempt asking = this.newest.join();
			this.time.jump(answer);
			this.phases.add(asking.phase());
		};
	}

	/**
	 * Contenders ask once a second at the latest, and the answer comes later than that.
	 */
	@Test
	void waiterBehindAHolderThatStaysIsQueuedInASlowStore() {
		answersTake(ANSWER);
		LockAttempt waiting = begin();
		this.time.advance(Duration.ofSeconds(30), Duration.ofMillis(100));
		assertThat(this.phases).hasSizeGreaterThan(10).startsWith(Phase.CREATING);
		assertThat(this.phases.subList(1, this.phases.size())).containsOnly(Phase.QUEUED);
		waiting.abandon();
	}

	@Test
	@Proves(value = Promise.THE_DEADLINE, under = Fault.THE_SERVERS_ARE_SILENT)
	void slowStoreThatBecomesSilentIsToldAfterTheTimeOfAFewAnswers() {
		answersTake(ANSWER);
		LockAttempt waiting = begin();
		this.time.advance(Duration.ofSeconds(30), Duration.ofMillis(100));
		this.phases.clear();
		answersTake(ANSWER.multipliedBy(4));
		this.time.advance(Duration.ofSeconds(2), Duration.ofMillis(100));
		assertThat(this.phases.get(0)).isEqualTo(Phase.CREATING);
		waiting.abandon();
	}

	@Test
	@Proves(value = Promise.THE_DEADLINE, under = Fault.THE_SERVERS_ARE_SILENT)
	void fastStoreThatBecomesSilentIsToldWithinLittleMoreThanASecond() {
		LockAttempt waiting = begin();
		this.time.advance(Duration.ofSeconds(30), Duration.ofMillis(100));
		answersTake(Duration.ofMillis(1200));
		this.time.advance(Duration.ofSeconds(2), Duration.ofMillis(100));
		assertThat(this.phases.get(0)).isEqualTo(Phase.CREATING);
		waiting.abandon();
	}

	/** Each wait ends before the store has answered its first question. */
	@Test
	void waitThatIsShorterThanAnAnswerIsQueuedBehindWhatTheStoreHasJustReported() {
		this.store.beforeAnswer = () -> {
			LockAttempt asking = this.newest.join();
			this.time.jump(ANSWER);
			this.phases.add(asking.phase());
			asking.abandon();
		};
		AtomicInteger forgotten = new AtomicInteger();
		this.store.beforeReleased = forgotten::incrementAndGet;
		for (int waits = 1; waits <= 10; waits++) {
			int answers = waits;
			begin();
			Spin.until(() -> forgotten.get() == answers && this.provider.pendingReleases() == 0);
		}
		assertThat(this.phases).hasSize(10).startsWith(Phase.CREATING);
		assertThat(this.phases.subList(1, 10)).containsOnly(Phase.QUEUED);
	}

	/** Each wait ends in the midst of its question, for longer than silence may last. */
	@Test
	void waitsThatAreShorterThanAnAnswerAreQueuedThoughEachIsGivenUpInItsMidst() {
		this.store.firstStep = (contender) -> {
			this.time.jump(ANSWER);
			giveUp();
		};
		this.store.beforeAnswer = () -> this.time.jump(ANSWER);
		for (int waits = 1; waits <= 100; waits++) {
			begin();
			rest();
		}
		assertThat(this.phases).hasSize(100).startsWith(Phase.CREATING);
		assertThat(this.phases.subList(1, 100)).containsOnly(Phase.QUEUED);
		assertThat(this.provider.pendingReleases()).isZero();
	}

	@Test
	void storeIsNotAskedForWaitsThatHaveEndedWhileItsAnswerIsNew() {
		this.store.firstStep = (contender) -> giveUp();
		this.store.beforeAnswer = () -> this.time.jump(ANSWER.multipliedBy(20));
		int before = this.store.requests.get();
		for (int waits = 1; waits <= 100; waits++) {
			begin();
			rest();
		}
		assertThat(this.store.requests.get() - before).isEqualTo(1);
	}

	@Test
	void questionThatBeginsAfterTheEndOfItsWaitHasAllItsSteps() {
		CountDownLatch end = new CountDownLatch(1);
		AtomicInteger busy = new AtomicInteger();
		this.store.firstStep = (contender) -> {
			busy.incrementAndGet();
			await(end);
		};
		begin(LockRequest.exclusive("one"));
		begin(LockRequest.exclusive("other"));
		Spin.until(() -> busy.get() == 2);
		begin().abandon();
		this.store.firstStep = (contender) -> giveUp();
		end.countDown();
		rest();
		begin();
		rest();
		assertThat(this.phases).endsWith(Phase.QUEUED);
	}

	/** Of two threads, one is left to contenders that wait. */
	@Test
	void contenderThatWaitsIsAnsweredThoughManyHaveGivenUp() throws Exception {
		CountDownLatch end = new CountDownLatch(1);
		this.store.firstStep = (contender) -> giveUp();
		this.store.beforeAnswer = () -> await(end);
		for (int locks = 1; locks <= 10; locks++) {
			int answers = locks;
			begin(LockRequest.exclusive("short" + locks).withWaitTime(Duration.ofMinutes(10)));
			Spin.until(() -> this.phases.size() == answers);
		}
		this.store.firstStep = (contender) -> this.store.beforeAnswer = () -> {
		};
		LockAttempt waiting = begin(LockRequest.exclusive("long").withWaitTime(Duration.ofMinutes(10)));
		assertThat(waiting.outcome().get(10, TimeUnit.SECONDS)).isPresent();
		end.countDown();
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void giveUp() {
		LockAttempt asking = this.newest.join();
		this.phases.add(asking.phase());
		asking.abandon();
	}

	/** Wait for what was given to the threads. */
	private void rest() {
		this.time.advance(Duration.ofNanos(1), Duration.ofNanos(1));
	}

	@Test
	@Proves(value = Promise.THE_DEADLINE, under = Fault.THE_SERVERS_ARE_SILENT)
	void waitInAnOutageIsNotQueuedBehindWhatTheStoreHasReportedBeforeIt() {
		waitThatIsShorterThanAnAnswerIsQueuedBehindWhatTheStoreHasJustReported();
		this.phases.clear();
		answersTake(ANSWER.multipliedBy(4));
		LockAttempt waiting = begin();
		Spin.until(() -> !this.phases.isEmpty());
		assertThat(this.phases.get(0)).isEqualTo(Phase.CREATING);
		waiting.abandon();
	}

	@Test
	void tryThatIsNotAnsweredIsNoContention() {
		waitThatIsShorterThanAnAnswerIsQueuedBehindWhatTheStoreHasJustReported();
		this.phases.clear();
		begin(TRY);
		Spin.until(() -> !this.phases.isEmpty());
		assertThat(this.phases.get(0)).isEqualTo(Phase.CREATING);
	}

	/** Where no caller waits long enough, none would get the lock otherwise. */
	@Test
	void grantThatComesTooLateGoesToTheNextCaller() {
		this.store.sent = this.sent;
		begin(request(FREE)).abandon();
		LockAttempt next = begin(request(FREE));
		this.sent.remove().run();
		LockGrant grant = next.outcome().join().orElseThrow();
		assertThat(grant.state()).isEqualTo(LockState.VALID);
		this.sent.remove().run();
		this.sent.remove().run();
		assertThat(this.store.holders).containsKey(grant.request().id());
		CompletableFuture<LockState> release = grant.release().toCompletableFuture();
		this.sent.remove().run();
		assertThat(release).isCompletedWithValue(LockState.RELEASED);
		assertThat(this.store.holders).doesNotContainKey(grant.request().id());
		assertThat(this.sent).isEmpty();
	}

	@Test
	void grantThatComesTooLateGoesToNoOtherModeNorLock() {
		this.store.sharing = true;
		this.store.sent = this.sent;
		begin(request(FREE)).abandon();
		List<LockAttempt> others = List.of(begin(LockRequest.shared(FREE).withWaitTime(Duration.ofMinutes(10))),
				begin(request("other")));
		this.sent.remove().run();
		assertThat(others).noneMatch((other) -> other.outcome().isDone());
		assertThat(this.provider.pendingReleases()).isEqualTo(1);
	}

	@Test
	void callerBehindOneThatHasGivenUpIsNotBehindAnotherInstance() throws Exception {
		Runnable release = letGoLate();
		LockAttempt waiting = begin(request(FREE));
		this.sent.remove().run();
		assertThat(waiting.phase()).isEqualTo(Phase.CREATING);
		release.run();
		assertThat(waiting.outcome().get(10, TimeUnit.SECONDS)).isPresent();
	}

	@Test
	void tryBehindACallerThatHasGivenUpAsksAgainWhenThatIsGone() {
		Runnable release = letGoLate();
		LockAttempt trying = begin(LockRequest.exclusive(FREE).withWaitTime(Duration.ZERO));
		this.sent.remove().run();
		assertThat(trying.outcome()).isNotDone();
		assertThat(this.sent).isEmpty();
		release.run();
		this.sent.remove().run();
		assertThat(trying.outcome().join()).isPresent();
	}

	/** Return the release of a grant that has come too late, in a store in order. */
	private Runnable letGoLate() {
		this.store.ordered = true;
		this.store.sent = this.sent;
		begin(request(FREE)).abandon();
		this.sent.remove().run();
		return this.sent.remove();
	}

	@Test
	void tryThatIsNotAnsweredIsContentionByTheAnswerToAnotherOneThatWasSentSince() {
		this.store.sent = this.sent;
		LockAttempt trying = begin(TRY);
		Runnable unanswered = this.sent.remove();
		begin(TRY);
		this.sent.remove().run();
		assertThat(trying.phase()).isEqualTo(Phase.QUEUED);
		unanswered.run();
		assertThat(trying.outcome().join()).isEmpty();
	}

	@Test
	void tryThatIsNotAnsweredIsNoContentionByTheAnswerToAnotherOneThatWasSentBefore() {
		this.store.sent = this.sent;
		begin(TRY);
		this.time.jump(Duration.ofMillis(1));
		LockAttempt trying = begin(TRY);
		this.sent.remove().run();
		assertThat(trying.phase()).isEqualTo(Phase.CREATING);
	}

	/** Their own answers may come later than their time is over. */
	@Test
	void triesAreRefusedAsSoonAsAnotherThreadOfTheInstanceHasTheLock() {
		this.store.sent = this.sent;
		LockAttempt first = begin(TRY_FREE);
		List<LockAttempt> others = List.of(begin(TRY_FREE), begin(TRY_FREE));
		this.sent.remove().run();
		assertThat(first.outcome().join()).isPresent();
		assertThat(others).allSatisfy((other) -> {
			assertThat(other.outcome()).isCompletedWithValue(Optional.empty());
			assertThat(other.isToldOfOthers()).isFalse();
		});
		this.sent.forEach(Runnable::run);
		assertThat(this.provider.pendingReleases()).isZero();
	}

	@Test
	void tryThatHasNotAskedIsRefusedAsSoonAsAnotherThreadOfTheInstanceHasTheLock() throws Exception {
		LockGrant grant = begin(request(FREE)).outcome().get(10, TimeUnit.SECONDS).orElseThrow();
		this.store.sent = this.sent;
		LockAttempt waiting = begin(request(FREE));
		grant.release();
		Runnable question = this.sent.remove();
		Runnable release = this.sent.remove();
		LockAttempt trying = begin(TRY_FREE);
		assertThat(this.sent).isEmpty();
		this.store.holders.clear();
		question.run();
		assertThat(waiting.outcome().join()).isPresent();
		assertThat(trying.outcome()).isCompletedWithValue(Optional.empty());
		release.run();
		assertThat(this.sent).isEmpty();
	}

	@Test
	void grantThatComesTooLateIsHadByOneTryAndRefusesTheOthers() {
		this.store.sent = this.sent;
		begin(TRY_FREE).abandon();
		LockAttempt next = begin(TRY_FREE);
		LockAttempt last = begin(TRY_FREE);
		this.sent.remove().run();
		assertThat(next.outcome().join()).isPresent();
		assertThat(last.outcome()).isCompletedWithValue(Optional.empty());
	}

	@Test
	void grantRefusesNoWaiterAndNoCallerThatItDoesNotExclude() {
		this.store.sharing = true;
		this.store.sent = this.sent;
		LockAttempt first = begin(LockRequest.shared(FREE).withWaitTime(Duration.ZERO));
		List<LockAttempt> others = List.of(begin(LockRequest.shared(FREE).withWaitTime(Duration.ZERO)),
				begin(request(FREE)), begin(TRY_OTHER));
		this.sent.remove().run();
		assertThat(first.outcome().join()).isPresent();
		assertThat(others).noneMatch((other) -> other.outcome().isDone());
	}

	@Test
	void refusalTellsOfNoOthersWhileTheHolderMayBeAThreadOfTheInstance() {
		this.store.sent = this.sent;
		LockAttempt first = begin(TRY_FREE);
		LockAttempt second = begin(TRY_FREE);
		this.store.beforeAnswer = () -> {
			this.store.beforeAnswer = () -> {
			};
			this.sent.remove().run();
			assertThat(second.outcome()).isCompletedWithValue(Optional.empty());
			assertThat(second.isToldOfOthers()).isFalse();
		};
		this.sent.remove().run();
		assertThat(first.outcome().join()).isPresent();
	}

	@Test
	void refusalTellsOfOthersThoughThreadsOfTheInstanceAskAllTheTime() {
		LockRequest request = TRY_OTHER;
		this.store.holders.put(request.id(),
				new LeaseContender("other", "other", request.id(), request.mode(), 1, false));
		this.store.sent = this.sent;
		begin(request);
		this.sent.remove().run();
		this.time.jump(Duration.ofMillis(1));
		List<LockAttempt> later = List.of(begin(request), begin(request), begin(request));
		this.sent.remove().run();
		assertThat(later.get(0).outcome()).isCompletedWithValue(Optional.empty());
		assertThat(later.get(0).isToldOfOthers()).isTrue();
	}

	/** The answer is older than the release, which comes first. */
	@Test
	void tryAsksAgainIfWhatItWasRefusedForHasBeenReleasedMeanwhile() throws Exception {
		LockGrant grant = begin(request(FREE)).outcome().get(10, TimeUnit.SECONDS).orElseThrow();
		this.store.sent = this.sent;
		LockAttempt trying = begin(TRY_FREE);
		this.store.beforeAnswer = () -> {
			this.store.beforeAnswer = () -> {
			};
			grant.release();
			this.sent.remove().run();
		};
		this.sent.remove().run();
		assertThat(trying.outcome()).isNotDone();
		this.sent.remove().run();
		assertThat(trying.outcome().join()).isPresent();
	}

	/** The thread that holds the lock may be faster than the one that tells of it. */
	@Test
	void tryThatComesWhenTheLockIsReleasedIsNotRefusedForTheHoldBefore() {
		this.store.sent = this.sent;
		this.store.ordered = true;
		LockAttempt first = begin(TRY_FREE);
		CompletableFuture<LockAttempt> second = first.outcome().thenApply((granted) -> {
			granted.orElseThrow().release();
			return begin(TRY_FREE);
		});
		this.sent.remove().run();
		assertThat(second.join().outcome()).isNotDone();
		this.sent.remove().run();
		this.sent.remove().run();
		assertThat(second.join().outcome().join()).isPresent();
	}

	/** The rest of it would keep the row of the lock from its release. */
	@Test
	void questionOfATryThatIsRefusedHereEndsWithItsStep() {
		this.store.firstStep = (contender) -> {
			this.store.firstStep = null;
			assertThat(this.provider.attempt(TRY_FREE, LockCaller.current()).outcome().join()).isPresent();
		};
		int before = this.store.requests.get();
		assertThat(begin(TRY_FREE).outcome().join()).isEmpty();
		rest();
		assertThat(this.store.requests.get() - before).isEqualTo(1);
	}

	@Test
	void refusalBehindAHoldOfTheInstanceTellsOfNoOthers() throws Exception {
		LockAttempt refused = begin(TRY);
		assertThat(refused.outcome().get(10, TimeUnit.SECONDS)).isEmpty();
		assertThat(refused.isToldOfOthers()).isFalse();
		LockAttempt waiting = begin();
		Spin.until(() -> waiting.phase() == Phase.QUEUED);
		assertThat(waiting.isToldOfOthers()).isFalse();
		waiting.abandon();
	}

	/** It asks once a second, and the holder has gone since its newest question. */
	@Test
	void refusalBehindAHoldThatTheInstanceHasReleasedTellsOfNoOthers() throws Exception {
		LockGrant grant = begin(request(FREE)).outcome().get(10, TimeUnit.SECONDS).orElseThrow();
		LockAttempt waiting = begin(request(FREE));
		Spin.until(() -> waiting.phase() == Phase.QUEUED);
		this.store.sent = this.sent;
		grant.release();
		assertThat(waiting.isToldOfOthers()).isFalse();
		this.sent.remove().run();
		assertThat(waiting.isToldOfOthers()).isFalse();
		waiting.abandon();
	}

	/** What the answer before has told is known to be over. */
	@Test
	void waiterThatAsksAfterAReleaseHereIsNotToldOfOthers() throws Exception {
		LockGrant grant = begin(request(FREE)).outcome().get(10, TimeUnit.SECONDS).orElseThrow();
		LockAttempt waiting = begin(request(FREE));
		Spin.until(() -> waiting.phase() == Phase.QUEUED);
		List<Boolean> told = new CopyOnWriteArrayList<>();
		this.store.beforeAnswer = () -> told.add(waiting.isToldOfOthers());
		grant.release();
		assertThat(waiting.outcome().get(10, TimeUnit.SECONDS)).isPresent();
		assertThat(told).isNotEmpty().containsOnly(false);
	}

}
