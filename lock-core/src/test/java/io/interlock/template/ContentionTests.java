package io.interlock.template;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import io.interlock.LockHandle;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.provider.LockCaller;
import io.interlock.testing.ScriptedAttempt;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what a refused caller is told of the others: of those that hold the lock, and
 * of those that have asked for it before.
 */
@Timeout(30)
class ContentionTests {

	private static final Duration SHORT = Duration.ofMillis(30);

	/**
	 * Minimum hold times: the first one to end is neither the first nor the last here.
	 */
	private static final List<Duration> KEPT = Stream.of(5, 9, 3, 7, 1, 8, 2, 6, 4).map(Duration::ofMinutes).toList();

	private static final LockRequest WRITE = LockRequest.exclusive("stock").withWaitTime(SHORT);

	private static final LockRequest READ = LockRequest.shared("stock").withWaitTime(SHORT);

	private final ScriptedLockProvider provider = new ScriptedLockProvider().answersNothing();

	private final HeldLocks heldLocks = new HeldLocks();

	private final LockTemplate template = template(this.heldLocks);

	private final String here = Thread.currentThread().getName();

	private LockTemplate template(HeldLocks heldLocks) {
		return new LockTemplate(this.provider, LockSettings.defaults(), heldLocks, List.of());
	}

	@AfterEach
	void nothingIsLeftBehind() {
		this.heldLocks.stop();
		await().until(() -> this.heldLocks.waiting().isEmpty());
		assertThat(this.heldLocks.held()).isEmpty();
		assertThat(this.provider.openGrants()).isZero();
	}

	/** Return what a caller reads behind "was not acquired within 30 ms". */
	private String refusal(LockRequest request) throws Exception {
		return Background.call(() -> reason(this.template, request));
	}

	private static String reason(LockTemplate template, LockRequest request) {
		LockNotAcquiredException refused = catchThrowableOfType(LockNotAcquiredException.class,
				() -> template.acquire(request));
		return String.valueOf(refused.getMessage()).replaceFirst("^Lock stock was not acquired within \\d+ ms: ", "");
	}

	private void waits(String thread, LockRequest request) {
		int others = this.heldLocks.waiting().size();
		new Thread(() -> this.template.tryAcquire(request.withWaitTime(LockRequest.FOREVER)), thread) {
			{
				setDaemon(true);
				setUncaughtExceptionHandler((ended, stopped) -> {
				});
			}
		}.start();
		await().until(() -> this.heldLocks.waiting().size() > others);
	}

	@Test
	void readerBehindAWriterOfThisInstanceReadsOfTheReaderThatHoldsTheLock() throws Exception {
		this.provider.answers(ScriptedAttempt::grant);
		try (LockHandle reader = this.template.acquire(READ)) {
			this.provider.answersNothing();
			waits("writer", WRITE);
			assertThat(refusal(READ)).isEqualTo("it is held by thread '" + this.here
					+ "' of this instance, and thread 'writer' of this instance asked first");
			assertThat(reader.isValid()).isTrue();
		}
	}

	@Test
	void callersBehindAWriterOfThisInstanceReadOfAnotherInstanceThatHoldsTheLock() throws Exception {
		waits("writer", WRITE);
		String reason = "it is held by another instance, and thread 'writer' of this instance asked first";
		assertThat(refusal(READ)).isEqualTo(reason);
		assertThat(refusal(WRITE)).isEqualTo(reason);
	}

	@Test
	void callerBehindSeveralReadsOfTheFirst() throws Exception {
		waits("writer", WRITE);
		waits("reader", READ);
		waits("another", WRITE);
		assertThat(refusal(WRITE))
			.isEqualTo("it is held by another instance, and thread 'writer' of this instance and 2 others asked first");
		assertThat(refusal(READ))
			.isEqualTo("it is held by another instance, and thread 'writer' of this instance and 1 other asked first");
	}

	@Test
	void callerWithoutAThreadAsksFirstToo() throws Exception {
		this.template.acquireAsync(WRITE.withWaitTime(LockRequest.FOREVER));
		assertThat(refusal(WRITE)).isEqualTo("it is held by another instance, and an asynchronous call of thread '"
				+ this.here + "' of this instance asked first");
	}

	/** A writer may hold the lock, or wait behind readers. */
	@Test
	void readerReadsOfOtherInstancesWhatIsKnown() throws Exception {
		assertThat(refusal(READ)).isEqualTo("another instance holds it or asked first");
		this.provider.answers(ScriptedAttempt::grant);
		try (LockHandle reader = this.template.acquire(READ)) {
			this.provider.answersNothing();
			assertThat(refusal(READ)).isEqualTo(
					"it is held by thread '" + this.here + "' of this instance, and another instance asked first");
			assertThat(reader.isValid()).isTrue();
		}
	}

	@Test
	void permitsAreHeldByAnotherInstanceTooIfNotAllAreHeldHere() throws Exception {
		LockRequest permit = LockRequest.semaphore("stock", 2).withWaitTime(SHORT);
		waits("waiter", permit);
		assertThat(refusal(permit))
			.isEqualTo("it is held by another instance, and thread 'waiter' of this instance asked first");
	}

	/** Its thread has not noted the hold yet. */
	@Test
	void lockIsHeldByTheThreadThatIsAboutToWakeUp() {
		Wait granted = new Wait(WRITE, SHORT, true);
		ScriptedAttempt attempt = this.provider.attempt(WRITE, LockCaller.current());
		attempt.grant();
		granted.begun(attempt);
		this.heldLocks.add(granted);
		assertThat(reason(this.template, WRITE)).isEqualTo("it is held by thread '" + this.here + "' of this instance");
		this.heldLocks.remove(granted);
		attempt.granted().release();
	}

	/** Nobody may hold it any more, and the servers have not said so yet. */
	@Test
	void lockThatWasReleasedHereIsNotSaidToBeHeldByAnotherInstance() throws Exception {
		this.provider.answers(ScriptedAttempt::concludesFromThisJvm);
		assertThat(refusal(WRITE)).isEqualTo("it was held until just before");
		waits("writer", WRITE);
		assertThat(refusal(WRITE))
			.isEqualTo("it was held until just before, and thread 'writer' of this instance asked first");
	}

	@Test
	void callerThatDoesNotWaitReadsOfOneThatHasTriedAtTheSameTime() throws Exception {
		LockRequest request = WRITE.withWaitTime(Duration.ZERO);
		Wait asking = new Wait(request, SHORT, true);
		ScriptedAttempt attempt = this.provider.attempt(request, LockCaller.current());
		asking.begun(attempt);
		this.heldLocks.add(asking);
		this.provider.answers((other) -> {
			other.concludesFromThisJvm();
			other.deny();
		});
		assertThat(refusal(request))
			.isEqualTo("it was just taken by another instance or by thread '" + this.here + "' of this instance");
		attempt.grant();
		assertThat(refusal(request)).isEqualTo("it is held by thread '" + this.here + "' of this instance");
		this.heldLocks.remove(asking);
		attempt.granted().release();
		assertThat(refusal(request)).isEqualTo("it was held until just before");
	}

	@Test
	void permitsThatMayBeHeldByThisInstanceAreNotSaidToBeHeldByAnotherOne() throws Exception {
		this.provider.answers(ScriptedAttempt::concludesFromThisJvm);
		assertThat(refusal(LockRequest.semaphore("stock", 2).withWaitTime(SHORT)))
			.isEqualTo("all its permits are taken");
	}

	@Test
	void refusedPermitReadsTheEndOfTheOneThatIsFreeFirst() {
		this.provider.answers(ScriptedAttempt::grant);
		LockRequest permit = LockRequest.semaphore("stock", KEPT.size()).withWaitTime(SHORT);
		for (Duration minHold : KEPT) {
			this.template.acquire(permit.withMinHold(minHold)).close();
		}
		assertThat(told(permit)).isEqualTo(ends().min(Comparator.naturalOrder()).orElseThrow());
	}

	/** Each of them excludes it. */
	@Test
	void refusedWriterReadsTheEndOfTheReaderThatIsTheLastToLeave() {
		this.provider.answers(ScriptedAttempt::grant);
		for (Duration minHold : KEPT) {
			this.template.acquire(READ.withMinHold(minHold)).close();
		}
		assertThat(told(WRITE)).isEqualTo(ends().max(Comparator.naturalOrder()).orElseThrow());
	}

	private Instant told(LockRequest refused) {
		this.provider.answers(ScriptedAttempt::deny);
		String reason = reason(this.template, refused.withWaitTime(Duration.ZERO));
		this.provider.answersNothing();
		return Instant.parse(reason.replaceAll("^it is held by this instance until (\\S+), for its .*$", "$1"));
	}

	private Stream<Instant> ends() {
		List<Instant> ends = this.heldLocks.held().stream().map(LockSnapshot::keptUntil).toList();
		this.heldLocks.releaseKept();
		return ends.stream();
	}

}
