package io.interlock.queue;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.interlock.LockHandle;
import io.interlock.LockInterruptedException;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockAttempt.Phase;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSettings;
import io.interlock.template.LockTemplate;
import io.interlock.testing.ScriptedAttempt;
import io.interlock.testing.ScriptedGrant;
import io.interlock.testsupport.thread.Background;
import io.interlock.testsupport.thread.Spin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what a caller of {@link LockTemplate} is told at his deadline, with a queue
 * between him and the service.
 */
@Timeout(30)
class QueueDeadlineTests {

	private static final LockRequest PATIENT = QueueUnderTest.WRITER;

	private static final LockRequest BRIEF = PATIENT.withWaitTime(Duration.ofMillis(30));

	private final QueueUnderTest fixture = QueueUnderTest.withLongTenures();

	private final HeldLocks heldLocks = new HeldLocks();

	private final LockTemplate template = new LockTemplate(this.fixture.queue(), LockSettings.defaults(),
			this.heldLocks, List.of());

	@AfterEach
	void nothingIsLeftBehind() {
		this.fixture.assertNothingIsLeft();
		assertThat(this.heldLocks.waiting()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "QUEUED")
	void anOutageIsNoContention(Phase phase) {
		this.fixture.provider().answers((attempt) -> attempt.at(phase));
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> this.template.tryAcquire(BRIEF));
	}

	@Test
	void anOutageIsNoContentionBehindOthersWhoWait() throws Exception {
		this.fixture.provider().answers((attempt) -> attempt.at(Phase.CONNECTING));
		Background<LockHandle> first = Background.start(() -> this.template.acquire(PATIENT));
		ScriptedAttempt attempt = this.fixture.provider().awaitAttempt();
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> this.template.tryAcquire(BRIEF));
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> new LockTemplate(this.fixture.queue(),
					new LockSettings(Duration.ZERO, Map.of(), Duration.ofMillis(20)), this.heldLocks, List.of())
				.tryAcquire(PATIENT.withWaitTime(Duration.ZERO)));
		attempt.grant();
		first.join().close();
	}

	@Test
	void othersElsewhereAreContention() {
		assertThat(this.template.tryAcquire(BRIEF)).isEmpty();
		assertThat(this.fixture.attempt(0).isAbandoned()).isTrue();
	}

	@Test
	void othersElsewhereAreToldByTheService() {
		LockAttempt waiter = this.fixture.ask(PATIENT);
		assertThat(waiter.phase()).isEqualTo(Phase.QUEUED);
		assertThat(waiter.isToldOfOthers()).isTrue();
		waiter.abandon();
	}

	/** The service has named a holder that may be one of this JVM. */
	@Test
	void othersThatTheServiceDoesNotTellOfAreNotToldOfHere() {
		LockAttempt waiter = this.fixture.ask(PATIENT);
		this.fixture.attempt(0).concludesFromThisJvm();
		assertThat(waiter.phase()).isEqualTo(Phase.QUEUED);
		assertThat(waiter.isToldOfOthers()).isFalse();
		waiter.abandon();
	}

	@Test
	void aHolderHereIsContention() throws Exception {
		this.fixture.provider().answers(ScriptedAttempt::grant);
		LockHandle held = Background.call(() -> this.template.acquire(PATIENT));
		assertThat(this.template.tryAcquire(BRIEF)).isEmpty();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.template.acquire(BRIEF))
			.withMessageContaining("of this instance");
		held.close();
	}

	@Test
	void aHolderHereIsContentionWhileTheConnectionIsSuspendedToo() throws Exception {
		this.fixture.provider().answers(ScriptedAttempt::grant);
		LockHandle held = Background.call(() -> this.template.acquire(PATIENT));
		this.fixture.attempt(0).granted().suspend();
		this.fixture.provider().answers((attempt) -> attempt.at(Phase.CONNECTING));
		assertThat(this.template.tryAcquire(BRIEF)).isEmpty();
		held.close();
	}

	@Test
	void aHolderHereWhoHasLostTheLockIsNoContention() throws Exception {
		this.fixture.provider().answers(ScriptedAttempt::grant);
		LockHandle held = Background.call(() -> this.template.acquire(PATIENT));
		this.fixture.provider().answers((attempt) -> attempt.at(Phase.CONNECTING));
		this.fixture.attempt(0).granted().lose();
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> this.template.tryAcquire(BRIEF));
		held.close();
	}

	@Test
	void aHolderHereWhoseReleaseIsNotAnsweredIsNoContention() throws Exception {
		this.fixture.provider().answers(ScriptedAttempt::grant);
		LockHandle held = Background.call(() -> this.template.acquire(PATIENT));
		held.close();
		this.fixture.provider().answers((attempt) -> attempt.at(Phase.CREATING));
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> this.template.tryAcquire(BRIEF));
	}

	@Test
	void aGrantThatIsLostBeforeItsCallerWakesIsAskedForAgainAndFirst() throws Exception {
		this.fixture.provider().answers((attempt) -> {
			attempt.grant();
			if (this.fixture.attempts() == 1) {
				attempt.granted().noticeLoss();
			}
		});
		try (LockHandle held = this.template.acquire(PATIENT)) {
			assertThat(held.isValid()).isTrue();
			assertThat(held.fencingToken()).isEqualTo(this.fixture.attempt(1).granted().fencingToken());
		}
	}

	@Test
	void aGrantThatIsSuspendedBeforeItsCallerWakesIsKept() throws Exception {
		this.fixture.provider().answers((attempt) -> {
			attempt.granted().suspend();
			attempt.grant();
		});
		Background<Long> caller = Background.start(() -> {
			try (LockHandle held = this.template.acquire(PATIENT)) {
				assertThat(held.isValid()).isTrue();
				return held.fencingToken();
			}
		});
		ScriptedGrant granted = this.fixture.provider().awaitAttempt().granted();
		assertThat(caller.isRunning()).isTrue();
		assertThat(granted.isReleased()).isFalse();
		granted.resume();
		assertThat(caller.join()).isEqualTo(granted.fencingToken());
		assertThat(granted.releases()).isEqualTo(1);
	}

	@Test
	void aCallerThatStoodBehindAHolderIsNotWaitingForTheServers() {
		QueueUnderTest noHandOver = QueueUnderTest.withTenures(Duration.ZERO);
		LockAttempt holder = noHandOver.ask(QueueUnderTest.WRITER);
		noHandOver.grant(0);
		LockAttempt waiter = noHandOver.ask(QueueUnderTest.WRITER);
		noHandOver.provider().answers((attempt) -> attempt.at(Phase.CREATING));
		long since = System.nanoTime();
		// As long it stays queued after the release: longer than a thread stands still.
		Spin.until(() -> System.nanoTime() - since > Duration.ofSeconds(1).toNanos());
		QueueUnderTest.granted(holder).release();
		assertThat(noHandOver.attempts()).isEqualTo(2);
		assertThat(waiter.phase()).isEqualTo(Phase.QUEUED);
		assertThat(waiter.isToldOfOthers()).isFalse();
		await().untilAsserted(() -> assertThat(waiter.phase()).isEqualTo(Phase.CREATING));
		waiter.abandon();
	}

	@Test
	void aCallerThatStoodBehindAHolderIsToldOfAConnectionThatIsDown() {
		QueueUnderTest noHandOver = QueueUnderTest.withTenures(Duration.ZERO);
		LockAttempt holder = noHandOver.ask(QueueUnderTest.WRITER);
		noHandOver.grant(0);
		LockAttempt waiter = noHandOver.ask(QueueUnderTest.WRITER);
		noHandOver.provider().answers((attempt) -> attempt.at(Phase.CONNECTING));
		QueueUnderTest.granted(holder).release();
		assertThat(waiter.phase()).isEqualTo(Phase.CONNECTING);
		waiter.abandon();
	}

	@Test
	void anInterruptLeavesTheQueueToTheOthers() throws Exception {
		Background<LockHandle> first = Background.start(() -> this.template.acquire(PATIENT));
		ScriptedAttempt attempt = this.fixture.provider().awaitAttempt();
		Background<LockHandle> second = Background.start(() -> this.template.acquire(PATIENT));
		await().until(() -> this.fixture.queue().queues().get(0).waiting() == 2);
		first.interrupt();
		assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(first::join);
		assertThat(attempt.isAbandoned()).isFalse();
		attempt.grant();
		second.join().close();
	}

}
