package io.interlock.template;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockInterruptedException;
import io.interlock.LockListener;
import io.interlock.LockLostException;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LossPolicy;
import io.interlock.provider.LockAttempt.Phase;
import io.interlock.testing.ScriptedAttempt;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.isA;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;

/**
 * Tests for what {@link LockTemplate} does without blocking a thread.
 */
@Timeout(30)
class LockTemplateAsyncTests {

	private static final String THREAD = "interlock-async-";

	private static final String THREAD_FOR_STEPS = "interlock-worker-async-";

	private static final LockRequest REQUEST = LockRequest.exclusive("orders")
		.withKey(42)
		.withWaitTime(LockRequest.FOREVER);

	private static final LockRequest SHORT = REQUEST.withWaitTime(Duration.ofMillis(30));

	private final ScriptedLockProvider provider = new ScriptedLockProvider();

	private final HeldLocks heldLocks = new HeldLocks();

	private final LockListener listener = mock(LockListener.class);

	private final LockTemplate template = new LockTemplate(this.provider, LockSettings.defaults(), this.heldLocks,
			List.of(this.listener));

	@AfterEach
	void nothingIsLeftBehind() {
		await().untilAsserted(() -> {
			assertThat(this.provider.openGrants()).isZero();
			assertThat(this.heldLocks.held()).isEmpty();
			assertThat(this.heldLocks.waiting()).isEmpty();
		});
		assertThat(Leftovers.takeHandles()).isEmpty();
		then(this.listener).shouldHaveNoMoreInteractions();
	}

	@Test
	void acquiresWithoutAThread() throws Exception {
		this.provider.answersNothing();
		CompletableFuture<LockHandle> future = this.template.acquireAsync(REQUEST);
		ScriptedAttempt attempt = this.provider.awaitAttempt();
		assertThat(future).isNotDone();
		assertThat(this.heldLocks.waiting()).singleElement()
			.satisfies((wait) -> assertThat(wait.thread()).isEqualTo(Thread.currentThread().getName()));
		assertThat(attempt.owner().thread()).isEqualTo(Thread.currentThread().getName());
		CompletableFuture<String> thread = future.thenApply((lock) -> Thread.currentThread().getName());
		attempt.grant();
		assertThat(thread.get(10, TimeUnit.SECONDS)).startsWith(THREAD);
		LockHandle lock = future.join();
		assertThat(lock.isValid()).isTrue();
		assertThat(lock.isDetached()).isTrue();
		assertThat(this.heldLocks.waiting()).isEmpty();
		assertThat(this.heldLocks.held()).hasSize(1);
		lock.close();
		thenAcquiredAndReleased();
	}

	@Test
	void holdBelongsToNoThread() {
		try (LockHandle first = join(this.template.acquireAsync(REQUEST))) {
			assertThat(LockContext.held()).isEmpty();
			this.provider.answersNothing();
			CompletableFuture<Optional<LockHandle>> again = this.template.tryAcquireAsync(SHORT);
			assertThat(join(again)).isEmpty();
			assertThat(first.isValid()).isTrue();
		}
		then(this.listener).should(times(2)).onWaiting(any());
		then(this.listener).should().onAcquired(any(), any(), any());
		then(this.listener).should().onNotAcquired(any(), any());
		then(this.listener).should().onReleased(any(), any());
	}

	@Test
	void actionHasTheClassLoaderOfItsCaller() {
		ClassLoader application = new ClassLoader() {
		};
		ClassLoader ofTest = ClassUtils.overrideThreadContextClassLoader(application);
		try {
			assertThat(this.template.executeAsync(REQUEST, (lock) -> classLoaderOfThread()).join())
				.isSameAs(application);
		}
		finally {
			Thread.currentThread().setContextClassLoader(ofTest);
		}
		// Before idle threads end, which is after ten seconds.
		await().atMost(5, TimeUnit.SECONDS)
			.until(() -> Thread.getAllStackTraces()
				.keySet()
				.stream()
				.noneMatch((thread) -> thread.getContextClassLoader() == application));
		thenAcquiredAndReleased();
	}

	@Test
	void runsActionOnAThreadOfTheLibraryAndReleasesWhenItsStageCompletes() throws Exception {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> thread = new CompletableFuture<>();
		AtomicReference<LockHandle> current = new AtomicReference<>();
		CompletableFuture<String> result = this.template.executeAsync(REQUEST, (lock) -> {
			current.set(LockContext.current());
			assertThat(LockContext.current()).isSameAs(lock);
			thread.complete(Thread.currentThread().getName());
			return work;
		});
		assertThat(thread.get(10, TimeUnit.SECONDS)).startsWith(THREAD);
		assertThat(this.provider.onlyGrant().isReleased()).isFalse();
		assertThat(result).isNotDone();
		CompletableFuture<String> completedOn = result.thenApply((value) -> Thread.currentThread().getName());
		// Until then, the thread of the library would end the hold.
		await().until(() -> work.getNumberOfDependents() > 0);
		work.complete("done");
		assertThat(join(result)).isEqualTo("done");
		assertThat(completedOn.join()).isEqualTo(Thread.currentThread().getName());
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
		assertThat(current.get().isValid()).isFalse();
		thenAcquiredAndReleased();
	}

	@Test
	void runsActionNeverOnTheCallingThread() {
		Thread thread = join(this.template.executeAsync(REQUEST,
				(lock) -> CompletableFuture.completedFuture(Thread.currentThread())));
		assertThat(thread).isNotSameAs(Thread.currentThread());
		thenAcquiredAndReleased();
	}

	@Test
	void blockingCallsInsideTheActionJoinItsHold() {
		CompletableFuture<Long> token = this.template.executeAsync(REQUEST,
				(lock) -> CompletableFuture.completedFuture(this.template.execute(REQUEST, LockHandle::fencingToken)));
		assertThat(join(token)).isEqualTo(this.provider.onlyGrant().fencingToken());
		thenAcquiredAndReleased();
	}

	@Test
	void failureOfTheWorkReachesTheCallerAsItIs() {
		IllegalArgumentException failure = new IllegalArgumentException("work");
		assertThat(catchThrowable(() -> this.template
			.executeAsync(REQUEST, (lock) -> CompletableFuture.completedFuture(1).thenApply((one) -> {
				throw failure;
			}))
			.get())).cause().isSameAs(failure);
		thenAcquiredAndReleased();
	}

	@Test
	void failureOfTheActionReachesTheCallerAsItIs() {
		IllegalArgumentException failure = new IllegalArgumentException("action");
		assertThat(failureOf(this.template.executeAsync(REQUEST, (lock) -> {
			throw failure;
		}))).isSameAs(failure);
		thenAcquiredAndReleased();
	}

	@Test
	@SuppressWarnings("NullAway")
	void actionThatReturnsNullIsToldWhatToDo() {
		assertThat(failureOf(this.template.executeAsync(REQUEST, (lock) -> (CompletionStage<String>) null)))
			.isInstanceOf(IllegalStateException.class)
			.hasMessageContaining("orders[42]")
			.hasMessageContaining("Return a CompletionStage");
		thenAcquiredAndReleased();
	}

	@Test
	void contentionFailsAtTheDeadline() {
		this.provider.answersNothing();
		assertThat(failureOf(this.template.acquireAsync(SHORT))).isInstanceOfSatisfying(LockNotAcquiredException.class,
				(ex) -> assertThat(ex.waited()).isBetween(SHORT.waitTime(), Duration.ofSeconds(5)));
		assertThat(this.provider.attempts().get(0).isAbandoned()).isTrue();
		thenNotAcquired();
	}

	@Test
	void deadlineAbandonsOnAThreadThatMayBlock() {
		CompletableFuture<String> thread = new CompletableFuture<>();
		this.provider
			.answers((attempt) -> attempt.whenAbandoned(() -> thread.complete(Thread.currentThread().getName())));
		assertThat(failureOf(this.template.acquireAsync(SHORT))).isInstanceOf(LockNotAcquiredException.class);
		assertThat(thread.join()).startsWith(THREAD_FOR_STEPS);
		thenNotAcquired();
	}

	@Test
	void contentionKeepsTheActionFromRunning() {
		this.provider.answersNothing();
		AtomicBoolean ran = new AtomicBoolean();
		assertThat(failureOf(this.template.executeAsync(SHORT, (lock) -> {
			ran.set(true);
			return new CompletableFuture<>();
		}))).isInstanceOf(LockNotAcquiredException.class);
		assertThat(ran).isFalse();
		thenNotAcquired();
	}

	@Test
	void tryWithoutWaitTimeDoesNotWait() {
		this.provider.answers(ScriptedAttempt::deny);
		assertThat(join(this.template.tryAcquireAsync(LockRequest.exclusive("orders")))).isEmpty();
		assertThat(this.provider.attempts().get(0).request().waitTime()).isEqualTo(Duration.ZERO);
		thenNotAcquired();
	}

	@ParameterizedTest
	@EnumSource(names = { "CONNECTING", "CREATING" })
	void outageIsNoContention(Phase phase) {
		this.provider.answers((attempt) -> attempt.at(phase));
		assertThat(failureOf(this.template.tryAcquireAsync(SHORT))).isInstanceOf(LockServiceUnavailableException.class)
			.hasMessageContaining("is not known");
		thenFailed(LockServiceUnavailableException.class);
	}

	@Test
	void failureOfTheProviderIsTold() {
		IllegalStateException failure = new IllegalStateException("down");
		this.provider.answers((attempt) -> attempt.fail(failure));
		assertThat(failureOf(this.template.acquireAsync(REQUEST))).isInstanceOf(LockException.class)
			.satisfies((ex) -> assertThat(ex.getCause()).isSameAs(failure));
		thenFailed(LockException.class);
	}

	@Test
	void failureToBeginAnAttemptIsTold() {
		IllegalStateException failure = new IllegalStateException("down");
		this.provider.answers((attempt) -> {
			throw failure;
		});
		assertThat(failureOf(this.template.acquireAsync(REQUEST))).isInstanceOf(LockException.class)
			.satisfies((ex) -> assertThat(ex.getCause()).isSameAs(failure));
		thenFailed(LockException.class);
	}

	@Test
	void grantAtTheDeadlineIsTaken() {
		this.provider.answers((attempt) -> attempt.at(Phase.CONNECTING).whenAbandoned(attempt::grant));
		join(this.template.acquireAsync(SHORT)).close();
		thenAcquiredAndReleased();
	}

	@Test
	void cancellingGivesUp() {
		this.provider.answersNothing();
		CompletableFuture<LockHandle> future = this.template.acquireAsync(REQUEST);
		ScriptedAttempt attempt = this.provider.awaitAttempt();
		future.cancel(true);
		assertThat(attempt.isAbandoned()).isTrue();
		await().untilAsserted(() -> thenFailed(LockInterruptedException.class));
	}

	@Test
	void completingTheFutureOtherwiseGivesUpToo() {
		this.provider.answersNothing();
		CompletableFuture<LockHandle> future = this.template.acquireAsync(REQUEST).orTimeout(10, TimeUnit.MILLISECONDS);
		ScriptedAttempt attempt = this.provider.awaitAttempt();
		await().until(attempt::isAbandoned);
		assertThat(future).isCompletedExceptionally();
		await().untilAsserted(() -> thenFailed(LockInterruptedException.class));
	}

	@Test
	void grantThatMeetsTheCancellationIsReleased() {
		this.provider.answersNothing();
		CompletableFuture<LockHandle> future = this.template.acquireAsync(REQUEST);
		ScriptedAttempt attempt = this.provider.awaitAttempt().whenAbandoned(this.provider.attempts().get(0)::grant);
		future.cancel(true);
		await().until(attempt.granted()::isReleased);
		await().untilAsserted(() -> thenFailed(LockInterruptedException.class));
	}

	@Test
	void cancellingKeepsTheActionFromRunning() {
		this.provider.answersNothing();
		AtomicBoolean ran = new AtomicBoolean();
		CompletableFuture<String> future = this.template.executeAsync(REQUEST, (lock) -> {
			ran.set(true);
			return new CompletableFuture<>();
		});
		ScriptedAttempt attempt = this.provider.awaitAttempt().whenAbandoned(this.provider.attempts().get(0)::grant);
		future.cancel(true);
		await().until(attempt.granted()::isReleased);
		await().untilAsserted(() -> thenFailed(LockInterruptedException.class));
		assertThat(ran).isFalse();
	}

	@Test
	void cancellingReachesTheWorkWhichEndsTheHold() throws Exception {
		CountDownLatch begun = new CountDownLatch(1);
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.template.executeAsync(REQUEST, (lock) -> {
			lock.onCancellation(() -> work.cancel(true));
			begun.countDown();
			return work;
		});
		begun.await();
		result.cancel(true);
		await().until(work::isCancelled);
		await().until(this.provider.onlyGrant()::isReleased);
		assertThat(catchThrowable(result::join)).isInstanceOf(CancellationException.class);
		await().untilAsserted(this::thenAcquiredAndReleased);
	}

	@Test
	@Proves(Promise.HOLDING_TOO_LONG)
	void cancellingLeavesTheLockToWorkThatGoesOn() throws Exception {
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch told = new CountDownLatch(1);
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.template.executeAsync(REQUEST, (lock) -> {
			lock.onCancellation(told::countDown);
			begun.countDown();
			return work;
		});
		begun.await();
		await().until(() -> work.getNumberOfDependents() > 0);
		result.cancel(true);
		assertThat(result).isCancelled();
		told.await();
		assertThat(work).isNotDone();
		assertThat(this.provider.onlyGrant().isReleased()).isFalse();
		work.complete("done");
		await().until(this.provider.onlyGrant()::isReleased);
		await().untilAsserted(this::thenAcquiredAndReleased);
	}

	@Test
	void cancellationIsToldToAnActionThatComesLaterUnlessItsHandleIsClosed() throws Exception {
		CompletableFuture<LockHandle> handle = new CompletableFuture<>();
		CountDownLatch told = new CountDownLatch(1);
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.template.executeAsync(REQUEST, (lock) -> {
			handle.complete(lock);
			return work;
		});
		LockHandle lock = join(handle);
		await().until(() -> work.getNumberOfDependents() > 0);
		result.cancel(true);
		lock.onCancellation(told::countDown);
		told.await();
		AtomicBoolean toldTooLate = new AtomicBoolean();
		work.complete("done");
		await().until(this.provider.onlyGrant()::isReleased);
		lock.onCancellation(() -> toldTooLate.set(true));
		await().untilAsserted(this::thenAcquiredAndReleased);
		assertThat(toldTooLate).isFalse();
	}

	@Test
	void workThatFailsByACancellationOfItsOwnIsNotToldOfOne() throws Exception {
		AtomicBoolean told = new AtomicBoolean();
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.template.executeAsync(REQUEST, (lock) -> {
			lock.onCancellation(() -> told.set(true));
			return work;
		});
		await().until(() -> work.getNumberOfDependents() > 0);
		work.cancel(true);
		await().until(result::isCancelled);
		await().untilAsserted(this::thenAcquiredAndReleased);
		assertThat(told).isFalse();
	}

	@Test
	void timeoutOfTheResultLeavesTheWorkItsLock() {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.template.executeAsync(REQUEST, (lock) -> work);
		await().until(() -> !this.heldLocks.held().isEmpty());
		await().until(() -> work.getNumberOfDependents() > 0);
		result.completeExceptionally(new IllegalStateException("impatient"));
		assertThat(work).isNotDone();
		assertThat(this.provider.onlyGrant().isReleased()).isFalse();
		work.complete("done");
		assertThat(this.provider.onlyGrant().isReleased()).isTrue();
		thenAcquiredAndReleased();
	}

	@ParameterizedTest
	@EnumSource(names = { "FAIL", "INTERRUPT" })
	void lossTakesThePlaceOfTheResult(LossPolicy policy) {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.template.executeAsync(REQUEST.withOnLoss(policy), (lock) -> work);
		await().until(() -> !this.heldLocks.held().isEmpty());
		this.provider.onlyGrant().lose();
		work.complete("done");
		assertThat(failureOf(result)).isInstanceOf(LockLostException.class);
		then(this.listener).should().onLost(any());
		thenAcquiredAndReleased();
	}

	@Test
	void lossIsOnlySignalledIfTheRequestSaysSo() {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.template.executeAsync(REQUEST.withOnLoss(LossPolicy.SIGNAL),
				(lock) -> work);
		// A loss before the work has begun is told in place of the result.
		await().until(() -> work.getNumberOfDependents() > 0);
		this.provider.onlyGrant().lose();
		work.complete("done");
		assertThat(join(result)).isEqualTo("done");
		then(this.listener).should().onLost(any());
		thenAcquiredAndReleased();
	}

	@Test
	void serversAreAskedAboutADoubtOnAThreadThatMayBlock() {
		CompletableFuture<String> work = new CompletableFuture<>();
		AtomicReference<String> asking = new AtomicReference<>();
		CompletableFuture<String> result = this.template.executeAsync(REQUEST, (lock) -> work);
		await().until(() -> !this.heldLocks.held().isEmpty());
		this.provider.onlyGrant().suspend();
		this.provider.onlyGrant().whenVerified(() -> asking.set(Thread.currentThread().getName()));
		work.complete("done");
		assertThat(join(result)).isEqualTo("done");
		assertThat(asking.get()).startsWith(THREAD_FOR_STEPS);
		thenAcquiredAndReleased();
	}

	@Test
	void lostGrantIsAskedForAgainInFront() {
		this.provider.answers((attempt) -> {
			attempt.granted().noticeLoss();
			this.provider.answers(ScriptedAttempt::grant);
			attempt.grant();
		});
		join(this.template.acquireAsync(REQUEST)).close();
		assertThat(this.provider.attempts()).hasSize(2);
		assertThat(this.provider.attempts().get(1).owner().retries()).isTrue();
		thenAcquiredAndReleased();
	}

	@Test
	void providerThatKeepsGrantingLostLocksIsBelieved() {
		this.provider.answers((attempt) -> {
			attempt.granted().noticeLoss();
			attempt.grant();
		});
		assertThat(failureOf(this.template.acquireAsync(SHORT))).isInstanceOf(LockLostException.class);
		assertThat(this.provider.attempts()).hasSizeGreaterThanOrEqualTo(4);
		then(this.listener).should().onLost(any());
		thenAcquiredAndReleased();
	}

	@Test
	void lostGrantsAreNoAnswerWhileThereIsWaitTime() {
		this.provider.answers((attempt) -> {
			if (this.provider.attempts().size() < 7) {
				attempt.granted().noticeLoss();
			}
			attempt.grant();
		});
		join(this.template.acquireAsync(REQUEST)).close();
		assertThat(this.provider.attempts()).hasSize(7);
		thenAcquiredAndReleased();
	}

	@Test
	void suspendedGrantIsWaitedFor() {
		this.provider.answers((attempt) -> {
			attempt.granted().suspend();
			attempt.grant();
		});
		CompletableFuture<LockHandle> future = this.template.acquireAsync(REQUEST);
		ScriptedAttempt attempt = this.provider.awaitAttempt();
		assertThat(future).isNotDone();
		assertThat(this.heldLocks.waiting()).hasSize(1);
		attempt.granted().resume();
		join(future).close();
		assertThat(this.provider.attempts()).hasSize(1);
		thenAcquiredAndReleased();
	}

	@Test
	void suspendedGrantIsReleasedAtTheDeadline() {
		this.provider.answers((attempt) -> {
			attempt.granted().suspend();
			attempt.grant();
		});
		assertThat(failureOf(this.template.acquireAsync(SHORT))).isInstanceOf(LockServiceUnavailableException.class);
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
		thenFailed(LockServiceUnavailableException.class);
	}

	@Test
	void cancellingEndsTheWaitForASuspendedGrant() {
		this.provider.answers((attempt) -> {
			attempt.granted().suspend();
			attempt.grant();
		});
		CompletableFuture<LockHandle> future = this.template.acquireAsync(REQUEST);
		ScriptedAttempt attempt = this.provider.awaitAttempt();
		future.cancel(false);
		await().until(attempt.granted()::isReleased);
		await().untilAsserted(() -> thenFailed(LockInterruptedException.class));
	}

	@Test
	void shutdownStopsWaiters() {
		this.provider.answersNothing();
		CompletableFuture<LockHandle> future = this.template.acquireAsync(REQUEST);
		this.provider.awaitAttempt();
		this.heldLocks.stop();
		assertThat(failureOf(future)).isInstanceOf(LockServiceUnavailableException.class)
			.hasMessageContaining("shutting down");
		thenFailed(LockServiceUnavailableException.class);
	}

	@Test
	void shutdownRefusesNewWaiters() {
		this.heldLocks.stop();
		assertThat(failureOf(this.template.acquireAsync(REQUEST))).isInstanceOf(LockServiceUnavailableException.class);
		thenFailed(LockServiceUnavailableException.class);
	}

	@Test
	void waitOfAFutureClosesNoCircle() throws Exception {
		LockRequest first = LockRequest.exclusive("first");
		LockRequest second = LockRequest.exclusive("second").withWaitTime(Duration.ofMillis(30));
		LockHandle held = this.template.acquire(first);
		this.provider.answersNothing();
		CompletableFuture<LockHandle> wait = this.template.acquireAsync(second.withWaitTime(LockRequest.FOREVER));
		assertThat(wait).isNotDone();
		wait.cancel(true);
		held.close();
		await().untilAsserted(() -> then(this.listener).should().onFailure(any(), isA(LockInterruptedException.class)));
		then(this.listener).should(times(2)).onWaiting(any());
		then(this.listener).should().onAcquired(any(), any(), any());
		then(this.listener).should().onReleased(any(), any());
	}

	@Test
	void contextIsThatOfTheActionOnly() {
		CountDownLatch left = new CountDownLatch(1);
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.template.executeAsync(REQUEST, (lock) -> work);
		await().until(() -> work.getNumberOfDependents() > 0);
		result.whenComplete((value, failure) -> left.countDown());
		assertThatIllegalStateException().isThrownBy(LockContext::current);
		work.complete("done");
		assertThat(left.getCount()).isZero();
		thenAcquiredAndReleased();
	}

	private void thenAcquiredAndReleased() {
		var inOrder = inOrder(this.listener);
		then(this.listener).should(inOrder).onWaiting(any());
		then(this.listener).should(inOrder).onAcquired(any(), any(), any());
		then(this.listener).should(inOrder).onReleased(any(), any());
	}

	private void thenNotAcquired() {
		then(this.listener).should().onWaiting(any());
		then(this.listener).should().onNotAcquired(any(), any());
		then(this.listener).should(never()).onAcquired(any(), any(), any());
	}

	private void thenFailed(Class<? extends LockException> type) {
		then(this.listener).should().onWaiting(any());
		then(this.listener).should().onFailure(any(), isA(type));
		then(this.listener).should(never()).onAcquired(any(), any(), any());
	}

	private static <T> T join(CompletableFuture<T> future) {
		return future.orTimeout(10, TimeUnit.SECONDS).join();
	}

	private static Throwable failureOf(CompletableFuture<?> future) {
		return future.<Throwable>handle((value, failure) -> {
			assertThat(failure).isNotNull();
			return failure;
		}).orTimeout(10, TimeUnit.SECONDS).join();
	}

	private static CompletableFuture<ClassLoader> classLoaderOfThread() {
		return CompletableFuture.completedFuture(Thread.currentThread().getContextClassLoader());
	}

}
