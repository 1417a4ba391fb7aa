package io.interlock.template;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockInterruptedException;
import io.interlock.LockMode;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.provider.LockAttempt.Phase;
import io.interlock.testing.ScriptedAttempt;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for how long {@link LockTemplate} waits, and what it says then.
 */
@Timeout(30)
class LockTemplateWaitTests {

	private static final Duration SHORT = Duration.ofMillis(30);

	private static final LockRequest REQUEST = LockRequest.exclusive("orders").withKey(42).withWaitTime(SHORT);

	private final ScriptedLockProvider provider = new ScriptedLockProvider().answersNothing();

	private final HeldLocks heldLocks = new HeldLocks();

	private final LockTemplate template = template(LockSettings.defaults());

	private LockTemplate template(LockSettings settings) {
		return new LockTemplate(this.provider, settings, this.heldLocks, List.of());
	}

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(Leftovers.takeHandles()).isEmpty();
		assertThat(Leftovers.takeInterrupt()).isFalse();
		assertThat(this.provider.openGrants()).isZero();
		assertThat(this.heldLocks.held()).isEmpty();
		assertThat(this.heldLocks.waiting()).isEmpty();
	}

	@Test
	void acquireSaysWhatItWaitedForAndHowLong() {
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.template.acquire(REQUEST))
			.withMessageMatching("Lock orders\\[42] was not acquired within \\d+ ms: it is held by another instance")
			.satisfies((ex) -> {
				assertThat(ex.lockId()).isEqualTo(REQUEST.id());
				assertThat(ex.waited()).isBetween(SHORT, Duration.ofSeconds(5));
				assertThat(ex.holder()).isEmpty();
			});
		assertThat(this.provider.attempts().get(0).isAbandoned()).isTrue();
	}

	@Test
	void tryAcquireWaitsAndIsEmptyThen() {
		long startedAt = System.nanoTime();
		assertThat(this.template.tryAcquire(REQUEST)).isEmpty();
		assertThat(System.nanoTime() - startedAt).isGreaterThanOrEqualTo(SHORT.toNanos());
		assertThat(this.provider.attempts().get(0).isAbandoned()).isTrue();
	}

	@Test
	void tryExecuteIsNotAcquiredThen() {
		assertThat(this.template.tryExecute(REQUEST, (lock) -> "done").acquired()).isFalse();
	}

	@ParameterizedTest
	@EnumSource(names = { "CONNECTING", "CREATING" })
	void anOutageIsNoContention(Phase phase) {
		this.provider.answers((attempt) -> attempt.at(phase));
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> this.template.acquire(REQUEST))
			.withMessageContaining("orders[42]")
			.withMessageContaining("is not known")
			.satisfies((ex) -> assertThat(ex.waited()).isGreaterThanOrEqualTo(SHORT));
		assertThat(this.provider.attempts().get(0).isAbandoned()).isTrue();
	}

	@ParameterizedTest
	@EnumSource(names = { "CONNECTING", "CREATING" })
	void anOutageIsNoEmptyAnswerEither(Phase phase) {
		this.provider.answers((attempt) -> attempt.at(phase));
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> this.template.tryAcquire(REQUEST));
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> this.template.tryExecute(REQUEST, (lock) -> "done"));
	}

	@Test
	void anOutageSaysWhatItWaitedFor() {
		this.provider.answers((attempt) -> attempt.at(Phase.CONNECTING));
		assertThat(catchThrowable(() -> this.template.acquire(REQUEST)))
			.hasMessageContaining("there is no connection to it");
		this.provider.answers((attempt) -> attempt.at(Phase.CREATING));
		assertThat(catchThrowable(() -> this.template.acquire(REQUEST)))
			.hasMessageContaining("the request was not answered");
	}

	@ParameterizedTest
	@CsvSource({ "EXCLUSIVE, EXCLUSIVE", "EXCLUSIVE, SHARED", "SHARED, EXCLUSIVE" })
	@Proves(value = Promise.THE_DEADLINE, under = Fault.THE_SERVERS_WERE_NEVER_REACHED)
	void aHolderInThisJvmIsContentionWithoutAConnectionToo(LockMode held, LockMode asked) throws Exception {
		this.provider.answers(ScriptedAttempt::grant);
		try (LockHandle mine = this.template.acquire(request(held))) {
			this.provider.answers((attempt) -> attempt.at(Phase.CONNECTING));
			String holder = "thread '" + Thread.currentThread().getName() + "' of this instance";
			Background.run(() -> {
				assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> this.template.acquire(request(asked)))
					.withMessageEndingWith("it is held by " + holder)
					.satisfies((ex) -> assertThat(ex.holder()).contains(holder));
				assertThat(this.template.tryAcquire(request(asked))).isEmpty();
			});
			assertThat(mine.isValid()).isTrue();
		}
	}

	@Test
	void aSemaphoreIsHeldByThisInstanceIfAllOfItsPermitsAre() throws Exception {
		this.provider.answers(ScriptedAttempt::grant);
		LockRequest two = LockRequest.semaphore("desks", 2).withWaitTime(SHORT);
		LockRequest three = LockRequest.semaphore("desks", 3).withWaitTime(SHORT);
		try (LockHandle mine = this.template.acquire(two);
				LockHandle other = this.template.acquireAsync(two).get(10, TimeUnit.SECONDS)) {
			this.provider.answersNothing();
			Background.run(() -> {
				assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.template.acquire(two))
					.withMessageEndingWith("of this instance");
				assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.template.acquire(three))
					.withMessageEndingWith("another instance");
			});
			assertThat(mine.isValid()).isTrue();
			assertThat(other.isValid()).isTrue();
		}
	}

	@Test
	void aSharedHolderInThisJvmIsNoReasonForASharedRequestToWait() throws Exception {
		this.provider.answers(ScriptedAttempt::grant);
		try (LockHandle mine = this.template.acquire(request(LockMode.SHARED))) {
			this.provider.answers((attempt) -> attempt.at(Phase.CONNECTING));
			Background.run(() -> assertThatExceptionOfType(LockServiceUnavailableException.class)
				.isThrownBy(() -> this.template.acquire(request(LockMode.SHARED))));
			this.provider.answersNothing();
			Background.run(() -> assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.template.acquire(request(LockMode.SHARED)))
				.satisfies((ex) -> assertThat(ex.holder()).isEmpty()));
			assertThat(mine.isValid()).isTrue();
		}
	}

	@Test
	void aHolderInThisJvmThatHasLostTheLockIsNoContention() throws Exception {
		this.provider.answers(ScriptedAttempt::grant);
		try (LockHandle mine = this.template.acquire(REQUEST)) {
			this.provider.onlyGrant().lose();
			this.provider.answers((attempt) -> attempt.at(Phase.CONNECTING));
			Background.run(() -> assertThatExceptionOfType(LockServiceUnavailableException.class)
				.isThrownBy(() -> this.template.acquire(REQUEST)));
			assertThat(mine.isValid()).isFalse();
		}
	}

	@Test
	void aRefusalIsNotAcquiredAtOnce() {
		this.provider.answers(ScriptedAttempt::deny);
		LockRequest patient = REQUEST.withWaitTime(LockRequest.FOREVER);
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.template.acquire(patient));
		assertThat(this.template.tryAcquire(patient)).isEmpty();
	}

	@Test
	void aTryIsBoundedByItsOwnTimeout() {
		Duration tryTimeout = Duration.ofMillis(40);
		LockTemplate bounded = template(new LockSettings(Duration.ofMinutes(1), Map.of(), tryTimeout));
		this.provider.answers((attempt) -> attempt.at(Phase.CREATING));
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> bounded.tryAcquire(REQUEST.withWaitTime(Duration.ZERO)))
			.satisfies((ex) -> assertThat(ex.waited()).isBetween(tryTimeout, Duration.ofSeconds(5)));
	}

	@Test
	void aTryTellsTheProviderNotToWait() {
		this.provider.answers(ScriptedAttempt::deny);
		assertThat(this.template.tryAcquire(REQUEST.withWaitTime(Duration.ZERO))).isEmpty();
		assertThat(this.provider.attempts().get(0).request().waitTime()).isEqualTo(Duration.ZERO);
	}

	@Test
	void withoutAWaitTimeTheDefaultCounts() {
		LockTemplate impatient = template(new LockSettings(SHORT, Map.of(), Duration.ofSeconds(1)));
		LockRequest request = LockRequest.exclusive("orders");
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> impatient.acquire(request));
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> impatient.execute(request, (lock) -> "done"));
		assertThat(askedWaitTimes()).containsExactly(SHORT, SHORT);
	}

	@Test
	void aTryWithoutAWaitTimeDoesNotWait() {
		LockTemplate patient = template(new LockSettings(Duration.ofMinutes(1), Map.of(), Duration.ofSeconds(1)));
		this.provider.answers(ScriptedAttempt::deny);
		assertThat(patient.tryAcquire(LockRequest.exclusive("orders"))).isEmpty();
		assertThat(patient.tryExecute(LockRequest.exclusive("orders"), (lock) -> "done").acquired()).isFalse();
		assertThat(askedWaitTimes()).containsExactly(Duration.ZERO, Duration.ZERO);
	}

	@Test
	void theWaitTimeOfTheNameOverridesTheRequest() {
		LockTemplate overridden = template(
				new LockSettings(Duration.ofMinutes(1), Map.of("orders", SHORT), Duration.ofSeconds(1)));
		assertThat(overridden.tryAcquire(REQUEST.withWaitTime(LockRequest.FOREVER))).isEmpty();
		assertThat(overridden.tryAcquire(LockRequest.exclusive("orders"))).isEmpty();
		assertThat(askedWaitTimes()).containsExactly(SHORT, SHORT);
	}

	private List<Duration> askedWaitTimes() {
		return this.provider.attempts().stream().map((attempt) -> attempt.request().waitTime()).toList();
	}

	@Test
	void theWaitTimeOfAnotherNameDoesNotCount() {
		LockTemplate overridden = template(
				new LockSettings(Duration.ofMinutes(1), Map.of("stock", Duration.ZERO), Duration.ofSeconds(1)));
		assertThat(overridden.tryAcquire(REQUEST)).isEmpty();
		assertThat(this.provider.attempts().get(0).request().waitTime()).isEqualTo(SHORT);
	}

	@Test
	void foreverWaitsUntilTheGrant() throws Exception {
		Background<Long> waiter = acquireInBackground(REQUEST.withWaitTime(LockRequest.FOREVER));
		ScriptedAttempt attempt = this.provider.awaitAttempt();
		attempt.grant();
		assertThat(waiter.join()).isEqualTo(attempt.granted().fencingToken());
	}

	@Test
	void aVeryLongWaitDoesNotOverflow() throws Exception {
		Background<Long> waiter = acquireInBackground(REQUEST.withWaitTime(Duration.ofDays(365L * 1_000_000)));
		ScriptedAttempt attempt = this.provider.awaitAttempt();
		attempt.grant();
		assertThat(waiter.join()).isEqualTo(attempt.granted().fencingToken());
	}

	@Test
	void aGrantAtTheDeadlineIsTaken() {
		this.provider.answers((attempt) -> attempt.at(Phase.CONNECTING).whenAbandoned(attempt::grant));
		try (LockHandle handle = this.template.acquire(REQUEST)) {
			assertThat(handle.isValid()).isTrue();
			assertThat(this.provider.openGrants()).isEqualTo(1);
		}
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	@ParameterizedTest
	@EnumSource
	void aRefusalAtTheDeadlineIsContentionAndNoOutage(Phase phase) throws Exception {
		this.provider.answers((attempt) -> attempt.at(phase).whenAbandoned(attempt::deny));
		assertThat(this.template.tryAcquire(REQUEST)).isEmpty();
		assertThat(this.template.tryAcquireAsync(REQUEST).get(10, TimeUnit.SECONDS)).isEmpty();
	}

	@Test
	void aGrantAfterTheDeadlineIsClosedByTheProvider() {
		assertThat(this.template.tryAcquire(REQUEST)).isEmpty();
		this.provider.attempts().get(0).grant();
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	@Test
	void aFailureAtTheDeadlineIsTold() {
		IllegalStateException failure = new IllegalStateException("down");
		this.provider.answers((attempt) -> attempt.whenAbandoned(() -> attempt.fail(failure)));
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> this.template.acquire(REQUEST))
			.withCause(failure);
	}

	@Test
	void anInterruptEndsTheWait() throws Exception {
		Background<Boolean> waiter = Background.start(() -> {
			assertThatExceptionOfType(LockInterruptedException.class)
				.isThrownBy(() -> this.template.acquire(REQUEST.withWaitTime(LockRequest.FOREVER)))
				.withMessageContaining("orders[42]")
				.satisfies((ex) -> assertThat(ex.lockId()).isEqualTo(REQUEST.id()));
			return Thread.currentThread().isInterrupted();
		});
		ScriptedAttempt attempt = this.provider.awaitAttempt();
		waiter.interrupt();
		assertThat(waiter.join()).as("flag").isTrue();
		assertThat(attempt.isAbandoned()).isTrue();
	}

	@Test
	void anInterruptIsNoEmptyAnswer() {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> this.template.tryAcquire(REQUEST));
		assertThat(Leftovers.takeInterrupt()).as("flag").isTrue();
	}

	@Test
	void aGrantThatMeetsAnInterruptIsClosedWithoutWaiting() {
		LockTemplate patient = template(
				new LockSettings(Duration.ofSeconds(10), Map.of(), Duration.ofSeconds(1), Duration.ofMinutes(10)));
		this.provider.answers((attempt) -> {
			attempt.granted().answersNoRelease();
			attempt.whenAbandoned(attempt::grant);
		});
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> patient.acquire(REQUEST));
		assertThat(Leftovers.takeInterrupt()).as("flag").isTrue();
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	@Test
	void aGrantAfterAnInterruptIsClosedByTheProvider() {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> this.template.acquire(REQUEST));
		assertThat(Leftovers.takeInterrupt()).as("flag").isTrue();
		this.provider.attempts().get(0).grant();
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	@Test
	void aFailureThatMeetsAnInterruptDoesNotLoseTheFlag() {
		IllegalStateException failure = new IllegalStateException("down");
		this.provider.answers((attempt) -> attempt.whenAbandoned(() -> attempt.fail(failure)));
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> this.template.acquire(REQUEST))
			.havingRootCause()
			.isSameAs(failure);
		assertThat(Leftovers.takeInterrupt()).as("flag").isTrue();
	}

	@Test
	void anInterruptedThreadMayTakeALockThatIsFree() {
		this.provider.answers(ScriptedAttempt::grant);
		Thread.currentThread().interrupt();
		try (LockHandle handle = this.template.acquire(REQUEST)) {
			assertThat(handle.isValid()).isTrue();
		}
		assertThat(Leftovers.takeInterrupt()).as("flag").isTrue();
	}

	@Test
	void theOwnerIsTheThreadThatAsks() throws Exception {
		Background<Long> waiter = acquireInBackground(REQUEST.withWaitTime(LockRequest.FOREVER));
		ScriptedAttempt attempt = this.provider.awaitAttempt();
		assertThat(attempt.owner().thread()).isEqualTo("background");
		attempt.grant();
		waiter.join();
	}

	private Background<Long> acquireInBackground(LockRequest request) {
		return Background.start(() -> {
			try (LockHandle handle = this.template.acquire(request)) {
				return handle.fencingToken();
			}
		});
	}

	private static LockRequest request(LockMode mode) {
		LockRequest request = (mode == LockMode.EXCLUSIVE) ? LockRequest.exclusive("orders")
				: LockRequest.shared("orders");
		return request.withKey(42).withWaitTime(SHORT);
	}

}
