package io.interlock.queue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.stream.IntStream;

import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockAttempt.Phase;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.testing.ScriptedGrant;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.junit.jupiter.api.Test;

import static io.interlock.queue.QueueUnderTest.LONG;
import static io.interlock.queue.QueueUnderTest.READER;
import static io.interlock.queue.QueueUnderTest.WRITER;
import static io.interlock.queue.QueueUnderTest.granted;
import static io.interlock.queue.QueueUnderTest.waits;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link QueueingLockProvider}: who gets the lock when.
 */
class QueueingLockProviderTests {

	private final QueueUnderTest fixture = QueueUnderTest.withLongTenures();

	@Test
	void onlyTheFirstContends() {
		IntStream.range(0, 5).forEach((i) -> this.fixture.ask(WRITER));
		assertThat(this.fixture.attempts()).isEqualTo(1);
	}

	@Test
	void contendsInTheNameOfTheFirst() {
		LockCaller owner = LockCaller.current();
		this.fixture.queue().attempt(WRITER, owner);
		assertThat(this.fixture.attempt(0).owner()).isSameAs(owner);
		assertThat(this.fixture.attempt(0).request()).isEqualTo(WRITER);
	}

	@Test
	@Proves(Promise.EXCLUSION)
	void handsOverInTheOrderOfArrival() {
		List<LockAttempt> asked = IntStream.range(0, 5).mapToObj((i) -> this.fixture.ask(WRITER)).toList();
		ScriptedGrant grant = this.fixture.grant(0);
		for (int next = 0; next < 5; next++) {
			assertThat(asked.subList(next + 1, 5)).allMatch(QueueUnderTest::waits);
			assertThat(grant.isReleased()).isFalse();
			granted(asked.get(next)).release();
		}
		assertThat(grant.releases()).isEqualTo(1);
		assertThat(this.fixture.attempts()).isEqualTo(1);
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void holdersOfOneTenureShareItsTokenAndAreToldApartByTheirNumber() {
		LockAttempt first = this.fixture.ask(WRITER);
		LockAttempt second = this.fixture.ask(WRITER);
		ScriptedGrant grant = this.fixture.grant(0);
		LockGrant before = granted(first);
		before.release();
		LockGrant after = granted(second);
		assertThat(after.fencingToken()).isEqualTo(before.fencingToken()).isEqualTo(grant.fencingToken());
		assertThat(before.handoff()).isZero();
		assertThat(after.handoff()).isEqualTo(1);
		assertThat(after.contended()).isTrue();
		assertThat(after.request().mode()).isEqualTo(LockMode.EXCLUSIVE);
		assertThat(after.request().id()).isEqualTo(WRITER.id());
	}

	@Test
	void aHandleIsInvalidOnceItIsClosedWhileTheNextOneIsValid() {
		LockAttempt first = this.fixture.ask(WRITER);
		LockAttempt second = this.fixture.ask(WRITER);
		this.fixture.grant(0);
		LockGrant before = granted(first);
		before.release();
		before.release();
		assertThat(before.state() == LockState.VALID).isFalse();
		assertThat(granted(second).state() == LockState.VALID).isTrue();
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(before::verify)
			.withMessageContaining("orders")
			.withMessageContaining("released");
	}

	@Test
	void aClosedHandleDoesNotLeadToTheGrantOfTheNextOne() {
		LockAttempt first = this.fixture.ask(WRITER);
		this.fixture.ask(WRITER);
		ScriptedGrant grant = this.fixture.grant(0);
		LockGrant before = granted(first);
		assertThat(before.unwrap(ScriptedGrant.class)).containsSame(grant);
		before.release();
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> before.unwrap(ScriptedGrant.class))
			.withMessageContaining("released");
	}

	@Test
	void anOldTenureIsNotHandedOver() {
		QueueUnderTest strict = QueueUnderTest.withTenures(Duration.ZERO);
		LockAttempt first = strict.ask(WRITER);
		LockAttempt second = strict.ask(WRITER);
		ScriptedGrant grant = strict.grant(0);
		granted(first).release();
		assertThat(grant.isReleased()).isTrue();
		assertThat(waits(second)).isTrue();
		strict.grant(1);
		assertThat(granted(second).fencingToken()).isGreaterThan(grant.fencingToken());
		granted(second).release();
		strict.assertNothingIsLeft();
	}

	@Test
	void theNextAttemptIsUnderWayBeforeTheGrantEnds() {
		QueueUnderTest strict = QueueUnderTest.withTenures(Duration.ZERO);
		LockAttempt first = strict.ask(WRITER);
		strict.ask(WRITER);
		ScriptedGrant grant = strict.grant(0);
		int[] attempts = new int[1];
		grant.whenReleased(() -> attempts[0] = strict.attempts());
		granted(first).release();
		assertThat(attempts[0]).isEqualTo(2);
	}

	@Test
	void aTenureIsHandedOverNoMoreOftenThanAllowed() {
		QueueUnderTest limited = new QueueUnderTest(QueueUnderTest.settings(LONG, 2, 100));
		List<LockAttempt> asked = IntStream.range(0, 4).mapToObj((i) -> limited.ask(WRITER)).toList();
		ScriptedGrant grant = limited.grant(0);
		asked.subList(0, 3).forEach((attempt) -> granted(attempt).release());
		assertThat(grant.isReleased()).isTrue();
		assertThat(waits(asked.get(3))).isTrue();
		limited.grant(1);
		granted(asked.get(3)).release();
		limited.assertNothingIsLeft();
	}

	@Test
	void aSuspendedTenureIsNotHandedOver() {
		LockAttempt first = this.fixture.ask(WRITER);
		LockAttempt second = this.fixture.ask(WRITER);
		ScriptedGrant grant = this.fixture.grant(0);
		grant.suspend();
		granted(first).release();
		assertThat(grant.isReleased()).isTrue();
		assertThat(waits(second)).isTrue();
		this.fixture.grant(1);
		assertThat(granted(second).state() == LockState.VALID).isTrue();
	}

	@Test
	void aTenureThatWasSuspendedMeanwhileIsHandedOver() {
		LockAttempt first = this.fixture.ask(WRITER);
		LockAttempt second = this.fixture.ask(WRITER);
		ScriptedGrant grant = this.fixture.grant(0);
		grant.suspend();
		assertThat(granted(first).state() == LockState.VALID).isFalse();
		grant.resume();
		granted(first).release();
		assertThat(granted(second).state() == LockState.VALID).isTrue();
		assertThat(this.fixture.attempts()).isEqualTo(1);
	}

	@Test
	void whoGivesUpIsSkipped() {
		LockAttempt first = this.fixture.ask(WRITER);
		LockAttempt second = this.fixture.ask(WRITER);
		LockAttempt third = this.fixture.ask(WRITER);
		this.fixture.grant(0);
		second.abandon();
		assertThat(second.outcome()).isCancelled();
		granted(first).release();
		granted(third).release();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void theAttemptGoesOnForTheOthersWhenItsFirstWaiterGivesUp() {
		LockAttempt first = this.fixture.ask(WRITER);
		LockAttempt second = this.fixture.ask(WRITER);
		first.abandon();
		assertThat(this.fixture.attempt(0).isAbandoned()).isFalse();
		this.fixture.grant(0);
		granted(second).release();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void theAttemptIsGivenUpWithTheLastWaiter() {
		LockAttempt first = this.fixture.ask(WRITER);
		LockAttempt second = this.fixture.ask(WRITER);
		first.abandon();
		second.abandon();
		assertThat(this.fixture.attempt(0).isAbandoned()).isTrue();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void aGrantAtTheInstantInWhichTheLastWaiterLeavesIsReleased() {
		LockAttempt only = this.fixture.ask(WRITER);
		this.fixture.attempt(0).whenAbandoned(this.fixture.attempt(0)::grant);
		only.abandon();
		assertThat(only.outcome()).isCancelled();
		assertThat(this.fixture.attempt(0).granted().releases()).isEqualTo(1);
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void whoComesAfterAnAttemptWasGivenUpContendsAnew() {
		LockAttempt gone = this.fixture.ask(WRITER);
		gone.abandon();
		LockAttempt next = this.fixture.ask(WRITER);
		this.fixture.attempt(0).grant();
		assertThat(waits(next)).isTrue();
		this.fixture.grant(1);
		granted(next).release();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void givingUpAfterTheGrantLeavesTheGrantToTheCaller() {
		LockAttempt only = this.fixture.ask(WRITER);
		this.fixture.grant(0);
		only.abandon();
		granted(only).release();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void aFailureReachesAllWhoWait() {
		LockAttempt first = this.fixture.ask(WRITER);
		LockAttempt second = this.fixture.ask(READER);
		IllegalStateException failure = new IllegalStateException("no");
		this.fixture.attempt(0).fail(failure);
		assertThat(first.outcome()).isCompletedExceptionally();
		assertThat(second.outcome()).failsWithin(Duration.ZERO).withThrowableThat().withCause(failure);
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void anEmptyAnswerToAnAttemptThatWaitsIsAFailure() {
		LockAttempt first = this.fixture.ask(WRITER);
		this.fixture.attempt(0).deny();
		assertThat(first.outcome()).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingRootCause()
			.withMessageContaining("orders");
	}

	@Test
	void whoComesAfterAFailureContendsAnew() {
		this.fixture.ask(WRITER);
		this.fixture.attempt(0).fail(new IllegalStateException("no"));
		LockAttempt next = this.fixture.ask(WRITER);
		this.fixture.grant(1);
		granted(next).release();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void anErrorOfTheProviderReachesAllWhoWait() {
		this.fixture.provider().answers((attempt) -> {
			throw new LinkageError("no such class");
		});
		LockAttempt first = this.fixture.ask(WRITER);
		assertThat(first.outcome()).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingRootCause()
			.isInstanceOf(LinkageError.class);
		assertThat(this.fixture.queue().queues()).isEmpty();
	}

	@Test
	void aRetryGoesFirst() {
		LockAttempt holder = this.fixture.ask(WRITER);
		LockAttempt waiting = this.fixture.ask(WRITER);
		this.fixture.grant(0);
		LockAttempt again = this.fixture.askAgain(WRITER);
		granted(holder).release();
		assertThat(waits(waiting)).isTrue();
		granted(again).release();
		granted(waiting).release();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void tooManyAreRefusedAtOnce() {
		QueueUnderTest limited = new QueueUnderTest(QueueUnderTest.settings(LONG, 100, 2));
		LockAttempt first = limited.ask(WRITER);
		limited.ask(WRITER);
		LockAttempt third = limited.ask(WRITER);
		assertThat(third.outcome()).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingRootCause()
			.isInstanceOf(LockServiceUnavailableException.class)
			.withMessageContaining("too many waiters")
			.withMessageContaining("orders")
			.withMessageContaining("2 threads")
			.withMessageContaining("interlock.queue.max-waiting");
		assertThat(waits(first)).isTrue();
		limited.grant(0);
		assertThat(waits(limited.ask(WRITER))).as("a holder does not wait").isTrue();
	}

	@Test
	void whoRetriesIsNotTooMany() {
		QueueUnderTest limited = new QueueUnderTest(QueueUnderTest.settings(LONG, 100, 1));
		limited.ask(WRITER);
		assertThat(waits(limited.askAgain(WRITER))).isTrue();
	}

	@Test
	void locksDoNotWaitForEachOther() {
		LockAttempt one = this.fixture.ask(WRITER.withKey(1));
		LockAttempt two = this.fixture.ask(WRITER.withKey(2));
		this.fixture.grant(1);
		assertThat(granted(two).state() == LockState.VALID).isTrue();
		assertThat(waits(one)).isTrue();
	}

	@Test
	void withoutAQueueEverybodyContends() {
		QueueUnderTest off = new QueueUnderTest(new QueueSettings(false, Map.of("stock", true), LONG, 1, 1));
		IntStream.range(0, 3).forEach((i) -> off.ask(WRITER));
		off.askAgain(WRITER);
		assertThat(off.attempts()).isEqualTo(4);
		LockRequest stock = LockRequest.exclusive("stock");
		off.ask(stock);
		off.ask(stock);
		assertThat(off.attempts()).isEqualTo(5);
		assertThat(off.queue().queues()).singleElement().extracting(QueueSnapshot::id).isEqualTo(stock.id());
	}

	@Test
	void withoutAQueueARetryIsARetryOfTheProvider() {
		QueueUnderTest off = new QueueUnderTest(new QueueSettings(false, Map.of(), LONG, 1, 1));
		off.ask(WRITER);
		off.askAgain(WRITER);
		assertThat(off.attempt(0).owner().retries()).isFalse();
		assertThat(off.attempt(1).owner().retries()).isTrue();
	}

	@Test
	void waitersBehindASuspendedTenureContendBesideIt() {
		LockAttempt first = this.fixture.ask(WRITER);
		LockAttempt second = this.fixture.ask(WRITER);
		ScriptedGrant grant = this.fixture.grant(0);
		grant.suspend();
		grant.tellState();
		assertThat(this.fixture.attempts()).isEqualTo(2);
		IllegalStateException failure = new IllegalStateException("fails fast");
		this.fixture.attempt(1).fail(failure);
		assertThat(second.outcome()).failsWithin(Duration.ZERO).withThrowableThat().withCause(failure);
		grant.resume();
		granted(first).release();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void aTenureThatIsConfirmedAgainIsHandedOver() {
		LockAttempt first = this.fixture.ask(WRITER);
		LockAttempt second = this.fixture.ask(WRITER);
		ScriptedGrant grant = this.fixture.grant(0);
		grant.suspend();
		grant.tellState();
		grant.resume();
		grant.tellState();
		assertThat(this.fixture.attempt(1).isAbandoned()).isTrue();
		granted(first).release();
		assertThat(granted(second).fencingToken()).isEqualTo(grant.fencingToken());
		granted(second).release();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void phaseIsQueuedBehindAHolderOfThisJvmAndElseThatOfTheAttempt() {
		LockAttempt first = this.fixture.ask(WRITER);
		LockAttempt second = this.fixture.ask(WRITER);
		for (Phase phase : Phase.values()) {
			this.fixture.attempt(0).at(phase);
			assertThat(second.phase()).isEqualTo(phase);
		}
		this.fixture.attempt(0).at(Phase.CONNECTING);
		ScriptedGrant grant = this.fixture.grant(0);
		assertThat(second.phase()).isEqualTo(Phase.QUEUED);
		grant.suspend();
		assertThat(second.phase()).as("held here").isEqualTo(Phase.QUEUED);
		granted(first).release();
		assertThat(second.phase()).isEqualTo(this.fixture.attempt(1).phase());
	}

	@Test
	void anAbandonedAttemptStaysCancelled() {
		LockAttempt gone = this.fixture.ask(WRITER);
		gone.abandon();
		gone.abandon();
		assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> gone.outcome().join());
	}

	@Test
	void snapshotsTellWhoWaitsAndWhoHolds() {
		LockAttempt holder = this.fixture.ask(WRITER);
		IntStream.range(0, 3).forEach((i) -> this.fixture.ask(WRITER));
		this.fixture.ask(WRITER.withKey("other"));
		ScriptedGrant grant = this.fixture.grant(0);
		granted(holder).release();
		List<QueueSnapshot> queues = this.fixture.queue().queues();
		assertThat(queues).hasSize(2);
		assertThat(queues.get(0)).satisfies((queue) -> {
			assertThat(queue.id()).isEqualTo(WRITER.id());
			assertThat(queue.waiting()).isEqualTo(2);
			assertThat(queue.holders()).isEqualTo(1);
			assertThat(queue.token()).isEqualTo(grant.fencingToken());
			assertThat(queue.handoffs()).isEqualTo(1);
			assertThat(queue.tenure()).isPositive();
		});
		assertThat(queues.get(1).token()).isNull();
		assertThat(queues.get(1).holders()).isZero();
	}

}
