package io.interlock.lease;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockRequest;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockAttempt.Phase;
import io.interlock.provider.LockCaller;
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

	private final MovedTime time = new MovedTime();

	private final MapLeaseStore store = new MapLeaseStore();

	private final LeaseLockProvider provider = new LeaseLockProvider(this.store,
			new LeaseSettings("test", Duration.ofMinutes(1), Duration.ofMillis(50), Duration.ofSeconds(10), 2, false),
			new MovedLeaseTime(this.time));

	/** Phases of the newest attempt, right before each of its answers. */
	private final List<Phase> phases = new CopyOnWriteArrayList<>();

	private volatile CompletableFuture<LockAttempt> newest = new CompletableFuture<>();

	@BeforeEach
	void acquire() throws Exception {
		this.provider.attempt(request(), LockCaller.current()).outcome().get(10, TimeUnit.SECONDS).orElseThrow();
	}

	@AfterEach
	void close() {
		this.store.beforeAnswer = () -> {
		};
		this.provider.close();
		this.time.close();
	}

	private static LockRequest request() {
		return LockRequest.exclusive("stock").withWaitTime(Duration.ofMinutes(10));
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
		begin(LockRequest.exclusive("stock").withWaitTime(Duration.ZERO));
		Spin.until(() -> !this.phases.isEmpty());
		assertThat(this.phases.get(0)).isEqualTo(Phase.CREATING);
	}

}
