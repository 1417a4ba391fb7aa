package io.interlock.template;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.testing.ScriptedAttempt;
import io.interlock.testing.ScriptedGrant;
import io.interlock.testing.ScriptedLockProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mockito.MockedConstruction;
import org.mockito.Mockito;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Tests for grants that meet an {@link Error} of the JVM before their caller has them.
 */
@Timeout(30)
@SuppressWarnings("try")
class LockTemplateErrorTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("orders").withWaitTime(LockRequest.FOREVER);

	private final ScriptedLockProvider provider = new ScriptedLockProvider();

	private final HeldLocks heldLocks = new HeldLocks();

	private final LockTemplate template = new LockTemplate(this.provider, LockSettings.defaults(), this.heldLocks,
			List.of());

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(Leftovers.takeHandles()).isEmpty();
		await().untilAsserted(() -> assertThat(this.provider.openGrants()).isZero());
		assertThat(this.heldLocks.held()).isEmpty();
		await().untilAsserted(() -> assertThat(this.heldLocks.waiting()).isEmpty());
	}

	@Test
	void grantIsReleasedIfItsHoldCannotBeMade() {
		OutOfMemoryError failure = new OutOfMemoryError("expected by this test");
		List<Integer> waiting = new CopyOnWriteArrayList<>();
		try (MockedConstruction<Hold> noHold = Mockito.mockConstruction(Hold.class, (hold, context) -> {
			waiting.add(this.heldLocks.waiting().size());
			throw failure;
		})) {
			assertThatThrownBy(() -> this.template.acquire(REQUEST)).hasRootCause(failure);
		}
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
		assertThat(waiting).as("seen by a shutdown until there is a hold").containsExactly(1);
	}

	@Test
	void grantIsReleasedIfNoThreadCanBeStartedForItsDeadline() {
		endTimerThread();
		try (NoNewThreads noThreads = new NoNewThreads()) {
			CompletableFuture<LockHandle> future = this.template.acquireAsync(REQUEST);
			assertThatThrownBy(() -> future.get(10, TimeUnit.SECONDS)).hasRootCauseInstanceOf(OutOfMemoryError.class);
		}
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	@Test
	void attemptIsGivenUpIfNoThreadCanBeStartedForItsDeadline() {
		this.provider.answersNothing();
		endTimerThread();
		try (NoNewThreads noThreads = new NoNewThreads()) {
			CompletableFuture<LockHandle> future = this.template.acquireAsync(REQUEST);
			assertThatThrownBy(() -> future.get(10, TimeUnit.SECONDS)).hasRootCauseInstanceOf(OutOfMemoryError.class);
		}
		ScriptedAttempt attempt = this.provider.awaitAttempt();
		assertThat(attempt.isAbandoned()).isTrue();
		attempt.grant();
	}

	@Test
	void suspendedGrantIsReleasedIfNoThreadCanBeStartedToLookAgain() {
		this.provider.answersNothing();
		CompletableFuture<LockHandle> future = this.template.acquireAsync(REQUEST);
		ScriptedAttempt attempt = this.provider.awaitAttempt();
		ScriptedGrant grant = attempt.granted();
		grant.suspend();
		ThreadFactory factory = AsyncThreads.TIMER.getThreadFactory();
		try {
			grant.whenLookedAt(() -> {
				endTimerThread();
				AsyncThreads.TIMER.setThreadFactory((task) -> {
					throw new OutOfMemoryError("expected by this test");
				});
			});
			attempt.grant();
			assertThatThrownBy(() -> future.get(10, TimeUnit.SECONDS)).hasRootCauseInstanceOf(OutOfMemoryError.class);
			await().untilAsserted(() -> assertThat(grant.isReleased()).isTrue());
		}
		finally {
			grant.whenLookedAt(() -> {
			});
			AsyncThreads.TIMER.setThreadFactory(factory);
		}
	}

	@Test
	void locksOfOneBodyAreAllReleasedIfOneReleaseFailsWithAnError() {
		OutOfMemoryError failure = new OutOfMemoryError("expected by this test");
		assertThatThrownBy(() -> this.template.executeAll(several(), (handles) -> failRelease("b", failure)))
			.isSameAs(failure);
		assertThat(grants()).hasSize(3).allMatch(ScriptedGrant::isReleased);
	}

	@Test
	void locksAreAllReleasedByOneCloseIfOneReleaseFailsWithAnError() {
		OutOfMemoryError failure = new OutOfMemoryError("expected by this test");
		LockHandles handles = this.template.acquireAll(several());
		failRelease("c", failure);
		assertThatThrownBy(handles::close).isSameAs(failure);
		assertThat(grants()).hasSize(3).allMatch(ScriptedGrant::isReleased);
	}

	@Test
	void failureOfTheBodyIsToldIfAReleaseFailsWithAnError() {
		OutOfMemoryError failure = new OutOfMemoryError("expected by this test");
		IllegalStateException failureOfBody = new IllegalStateException("expected by this test");
		assertThatThrownBy(() -> this.template.executeAll(several(), (handles) -> {
			failRelease("a", failure);
			throw failureOfBody;
		})).isSameAs(failureOfBody).hasSuppressedException(failure);
		assertThat(grants()).hasSize(3).allMatch(ScriptedGrant::isReleased);
	}

	private static List<LockRequest> several() {
		return Stream.of("a", "b", "c").map((key) -> LockRequest.exclusive("orders").withKey(key)).toList();
	}

	private List<ScriptedGrant> grants() {
		return this.provider.attempts().stream().map(ScriptedAttempt::granted).toList();
	}

	private @Nullable Object failRelease(String key, Error failure) {
		grants().stream()
			.filter((grant) -> key.equals(grant.request().id().key()))
			.forEach((grant) -> grant.whenReleased(() -> {
				throw failure;
			}));
		return null;
	}

	private static void endTimerThread() {
		AsyncThreads.TIMER.getQueue().clear();
		AsyncThreads.TIMER.setKeepAliveTime(1, TimeUnit.MILLISECONDS);
		await().until(() -> AsyncThreads.TIMER.getPoolSize() == 0);
		AsyncThreads.TIMER.setKeepAliveTime(10, TimeUnit.SECONDS);
	}

}
