package io.interlock.queue;

import java.time.Duration;

import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockAttempt.Phase;
import io.interlock.testing.ScriptedGrant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import static io.interlock.queue.QueueUnderTest.READER;
import static io.interlock.queue.QueueUnderTest.WRITER;
import static io.interlock.queue.QueueUnderTest.granted;
import static io.interlock.queue.QueueUnderTest.refused;
import static io.interlock.queue.QueueUnderTest.waits;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for tries, which do not wait for others, in {@link QueueingLockProvider}.
 */
class QueueTryTests {

	private final QueueUnderTest fixture = QueueUnderTest.withLongTenures();

	@Test
	void aFreeLockIsAskedFor() {
		LockAttempt tried = this.fixture.tryOnce(WRITER);
		assertThat(this.fixture.attempt(0).request().waitTime()).isEqualTo(Duration.ZERO);
		this.fixture.grant(0);
		granted(tried).release();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void aRefusalOfTheProviderIsPassedOn() {
		LockAttempt tried = this.fixture.tryOnce(WRITER);
		this.fixture.attempt(0).deny();
		assertThat(refused(tried)).isTrue();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void aFailureOfTheProviderIsPassedOn() {
		LockAttempt tried = this.fixture.tryOnce(WRITER);
		IllegalStateException failure = new IllegalStateException("no");
		this.fixture.attempt(0).fail(failure);
		assertThat(tried.outcome()).failsWithin(Duration.ZERO).withThrowableThat().withCause(failure);
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void whatATryWasGrantedIsHandedOver() {
		LockAttempt tried = this.fixture.tryOnce(WRITER);
		ScriptedGrant grant = this.fixture.grant(0);
		LockAttempt waiting = this.fixture.ask(WRITER);
		assertThat(this.fixture.attempts()).isEqualTo(1);
		granted(tried).release();
		assertThat(granted(waiting).fencingToken()).isEqualTo(grant.fencingToken());
		granted(waiting).release();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void whatATryWasGrantedBesideAnAttemptEndsWithIt() {
		LockAttempt tried = this.fixture.tryOnce(WRITER);
		LockAttempt waiting = this.fixture.ask(WRITER);
		ScriptedGrant grant = this.fixture.grant(0);
		granted(tried).release();
		assertThat(grant.releases()).isEqualTo(1);
		assertThat(waits(waiting)).isTrue();
		this.fixture.grant(1);
		granted(waiting).release();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void aTryThatOvertakesAWaiterGivesItTheGrant() {
		LockAttempt waiting = this.fixture.ask(WRITER);
		this.fixture.attempt(0).at(Phase.CREATING);
		LockAttempt tried = this.fixture.tryOnce(WRITER);
		ScriptedGrant grant = this.fixture.grant(1);
		assertThat(refused(tried)).isTrue();
		assertThat(granted(waiting).fencingToken()).isEqualTo(grant.fencingToken());
		assertThat(this.fixture.attempt(0).isAbandoned()).isTrue();
		granted(waiting).release();
		assertThat(grant.releases()).isEqualTo(1);
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void aTryThatOvertakesAWaiterWithAGrantOfNoUseToItGivesItBack() {
		LockAttempt waiting = this.fixture.ask(WRITER);
		this.fixture.attempt(0).at(Phase.CREATING);
		LockAttempt tried = this.fixture.tryOnce(READER);
		ScriptedGrant grant = this.fixture.grant(1);
		assertThat(refused(tried)).isTrue();
		assertThat(grant.releases()).isEqualTo(1);
		assertThat(waits(waiting)).isTrue();
		assertThat(this.fixture.attempt(0).isAbandoned()).as("the place of the waiter is lost").isFalse();
		this.fixture.grant(0);
		granted(waiting).release();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void readersJoinWhatATryWasGranted() {
		LockAttempt tried = this.fixture.tryOnce(READER);
		this.fixture.grant(0);
		LockAttempt joined = this.fixture.tryOnce(READER);
		assertThat(this.fixture.attempts()).isEqualTo(1);
		granted(tried).release();
		assertThat(granted(joined).state() == LockState.VALID).isTrue();
		granted(joined).release();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void aLockThatIsHeldHereIsRefusedWithoutAsking() {
		this.fixture.ask(WRITER);
		this.fixture.grant(0);
		assertThat(refused(this.fixture.tryOnce(WRITER))).isTrue();
		assertThat(refused(this.fixture.tryOnce(READER))).isTrue();
		assertThat(this.fixture.attempts()).isEqualTo(1);
	}

	@Test
	void aWriterIsRefusedWhileReadersHoldIt() {
		this.fixture.ask(READER);
		this.fixture.grant(0);
		assertThat(refused(this.fixture.tryOnce(WRITER))).isTrue();
		assertThat(this.fixture.attempts()).isEqualTo(1);
	}

	@Test
	void aLockThatOthersHoldWhileSomebodyWaitsHereIsRefusedWithoutAsking() {
		this.fixture.ask(WRITER);
		this.fixture.attempt(0).at(Phase.QUEUED);
		assertThat(refused(this.fixture.tryOnce(WRITER))).isTrue();
		assertThat(this.fixture.attempts()).isEqualTo(1);
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "QUEUED")
	void anOutageIsNoContentionForATry(Phase phase) {
		this.fixture.ask(WRITER);
		this.fixture.attempt(0).at(phase);
		LockAttempt tried = this.fixture.tryOnce(WRITER);
		assertThat(waits(tried)).isTrue();
		this.fixture.attempt(1).at(phase);
		assertThat(tried.phase()).isEqualTo(phase);
	}

	@Test
	void aSuspendedHolderHereIsNoContentionForATry() {
		this.fixture.ask(WRITER);
		this.fixture.grant(0).suspend();
		assertThat(waits(this.fixture.tryOnce(WRITER))).isTrue();
	}

	@Test
	void aTryDoesNotWaitInTheQueue() {
		this.fixture.ask(WRITER);
		this.fixture.grant(0);
		this.fixture.tryOnce(WRITER);
		assertThat(this.fixture.queue().queues()).singleElement().extracting(QueueSnapshot::waiting).isEqualTo(0);
	}

	@Test
	void aTryThatIsGivenUpEndsItsAttempt() {
		LockAttempt tried = this.fixture.tryOnce(WRITER);
		tried.abandon();
		assertThat(tried.outcome()).isCompletedExceptionally();
		assertThat(this.fixture.attempt(0).isAbandoned()).isTrue();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void aGrantAtTheInstantInWhichATryIsGivenUpIsTheCallers() {
		LockAttempt tried = this.fixture.tryOnce(WRITER);
		this.fixture.attempt(0).whenAbandoned(this.fixture.attempt(0)::grant);
		tried.abandon();
		granted(tried).release();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void aTryGivesNobodyHisPlace() {
		LockAttempt holder = this.fixture.ask(WRITER);
		LockAttempt waiting = this.fixture.ask(WRITER);
		this.fixture.grant(0);
		LockAttempt tried = this.fixture.tryOnce(LockRequest.exclusive("orders"));
		granted(holder).release();
		assertThat(refused(tried)).isTrue();
		assertThat(granted(waiting).state() == LockState.VALID).isTrue();
	}

}
