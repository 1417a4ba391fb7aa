package io.interlock.queue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.stream.IntStream;

import io.interlock.LockAttempt;
import io.interlock.LockAttempt.Phase;
import io.interlock.LockHandle;
import io.interlock.LockMode;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockOwner;
import io.interlock.LockProvider;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.testing.InMemoryHandle;
import org.junit.jupiter.api.Test;

import static io.interlock.queue.QueueUnderTest.LONG;
import static io.interlock.queue.QueueUnderTest.READER;
import static io.interlock.queue.QueueUnderTest.WRITER;
import static io.interlock.queue.QueueUnderTest.granted;
import static io.interlock.queue.QueueUnderTest.waits;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;

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
		LockOwner owner = LockOwner.current();
		this.fixture.queue().attempt(WRITER, owner);
		assertThat(this.fixture.attempt(0).owner()).isSameAs(owner);
		assertThat(this.fixture.attempt(0).request()).isEqualTo(WRITER);
	}

	@Test
	void handsOverInTheOrderOfArrival() {
		List<LockAttempt> asked = IntStream.range(0, 5).mapToObj((i) -> this.fixture.ask(WRITER)).toList();
		InMemoryHandle grant = this.fixture.grant(0);
		for (int next = 0; next < 5; next++) {
			assertThat(asked.subList(next + 1, 5)).allMatch(QueueUnderTest::waits);
			assertThat(grant.isClosed()).isFalse();
			granted(asked.get(next)).close();
		}
		assertThat(grant.closes()).isEqualTo(1);
		assertThat(this.fixture.attempts()).isEqualTo(1);
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void holdersOfOneTenureShareItsTokenAndAreToldApartByTheirNumber() {
		LockAttempt first = this.fixture.ask(WRITER);
		LockAttempt second = this.fixture.ask(WRITER);
		InMemoryHandle grant = this.fixture.grant(0);
		LockHandle before = granted(first);
		before.close();
		LockHandle after = granted(second);
		assertThat(after.fencingToken()).isEqualTo(before.fencingToken()).isEqualTo(grant.fencingToken());
		assertThat(before.handoff()).isZero();
		assertThat(after.handoff()).isEqualTo(1);
		assertThat(after.contended()).isTrue();
		assertThat(after.mode()).isEqualTo(LockMode.EXCLUSIVE);
		assertThat(after.id()).isEqualTo(WRITER.id());
	}

	@Test
	void aHandleIsInvalidOnceItIsClosedWhileTheNextOneIsValid() {
		LockAttempt first = this.fixture.ask(WRITER);
		LockAttempt second = this.fixture.ask(WRITER);
		this.fixture.grant(0);
		LockHandle before = granted(first);
		before.close();
		before.close();
		assertThat(before.isValid()).isFalse();
		assertThat(granted(second).isValid()).isTrue();
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(before::verify)
			.withMessageContaining("orders")
			.withMessageContaining("released");
	}

	@Test
	void aClosedHandleDoesNotLeadToTheGrantOfTheNextOne() {
		LockAttempt first = this.fixture.ask(WRITER);
		this.fixture.ask(WRITER);
		InMemoryHandle grant = this.fixture.grant(0);
		LockHandle before = granted(first);
		assertThat(before.unwrap(InMemoryHandle.class)).containsSame(grant);
		before.close();
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> before.unwrap(InMemoryHandle.class))
			.withMessageContaining("released");
	}

	@Test
	void anOldTenureIsNotHandedOver() {
		QueueUnderTest strict = QueueUnderTest.withTenures(Duration.ZERO);
		LockAttempt first = strict.ask(WRITER);
		LockAttempt second = strict.ask(WRITER);
		InMemoryHandle grant = strict.grant(0);
		granted(first).close();
		assertThat(grant.isClosed()).isTrue();
		assertThat(waits(second)).isTrue();
		strict.grant(1);
		assertThat(granted(second).fencingToken()).isGreaterThan(grant.fencingToken());
		granted(second).close();
		strict.assertNothingIsLeft();
	}

	@Test
	void theNextAttemptIsUnderWayBeforeTheGrantEnds() {
		QueueUnderTest strict = QueueUnderTest.withTenures(Duration.ZERO);
		LockAttempt first = strict.ask(WRITER);
		strict.ask(WRITER);
		InMemoryHandle grant = strict.grant(0);
		int[] attempts = new int[1];
		grant.whenClosed(() -> attempts[0] = strict.attempts());
		granted(first).close();
		assertThat(attempts[0]).isEqualTo(2);
	}

	@Test
	void aTenureIsHandedOverNoMoreOftenThanAllowed() {
		QueueUnderTest limited = new QueueUnderTest(QueueUnderTest.settings(LONG, 2, 100));
		List<LockAttempt> asked = IntStream.range(0, 4).mapToObj((i) -> limited.ask(WRITER)).toList();
		InMemoryHandle grant = limited.grant(0);
		asked.subList(0, 3).forEach((attempt) -> granted(attempt).close());
		assertThat(grant.isClosed()).isTrue();
		assertThat(waits(asked.get(3))).isTrue();
		limited.grant(1);
		granted(asked.get(3)).close();
		limited.assertNothingIsLeft();
	}

	@Test
	void aSuspendedTenureIsNotHandedOver() {
		LockAttempt first = this.fixture.ask(WRITER);
		LockAttempt second = this.fixture.ask(WRITER);
		InMemoryHandle grant = this.fixture.grant(0);
		grant.suspend();
		granted(first).close();
		assertThat(grant.isClosed()).isTrue();
		assertThat(waits(second)).isTrue();
		this.fixture.grant(1);
		assertThat(granted(second).isValid()).isTrue();
	}

	@Test
	void aTenureThatWasSuspendedMeanwhileIsHandedOver() {
		LockAttempt first = this.fixture.ask(WRITER);
		LockAttempt second = this.fixture.ask(WRITER);
		InMemoryHandle grant = this.fixture.grant(0);
		grant.suspend();
		assertThat(granted(first).isValid()).isFalse();
		grant.resume();
		granted(first).close();
		assertThat(granted(second).isValid()).isTrue();
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
		granted(first).close();
		granted(third).close();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void theAttemptGoesOnForTheOthersWhenItsFirstWaiterGivesUp() {
		LockAttempt first = this.fixture.ask(WRITER);
		LockAttempt second = this.fixture.ask(WRITER);
		first.abandon();
		assertThat(this.fixture.attempt(0).isAbandoned()).isFalse();
		this.fixture.grant(0);
		granted(second).close();
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
		assertThat(this.fixture.attempt(0).handle().asyncCloses()).isEqualTo(1);
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
		granted(next).close();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void givingUpAfterTheGrantLeavesTheGrantToTheCaller() {
		LockAttempt only = this.fixture.ask(WRITER);
		this.fixture.grant(0);
		only.abandon();
		granted(only).close();
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
		granted(next).close();
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
		granted(holder).close();
		assertThat(waits(waiting)).isTrue();
		granted(again).close();
		granted(waiting).close();
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
			.isInstanceOf(LockNotAcquiredException.class)
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
		assertThat(granted(two).isValid()).isTrue();
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
		LockProvider provider = mock(LockProvider.class);
		LockOwner owner = LockOwner.current();
		new QueueingLockProvider(provider, new QueueSettings(false, Map.of(), LONG, 1, 1)).retry(WRITER, owner);
		then(provider).should().retry(WRITER, owner);
		then(provider).should(never()).attempt(any(), any());
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
		InMemoryHandle grant = this.fixture.grant(0);
		assertThat(second.phase()).isEqualTo(Phase.QUEUED);
		grant.suspend();
		assertThat(second.phase()).as("held here").isEqualTo(Phase.QUEUED);
		granted(first).close();
		assertThat(second.phase()).isEqualTo(this.fixture.attempt(1).phase());
	}

	@Test
	void refusingWakesThoseWhoWaitAndSparesTheHolder() {
		LockAttempt holder = this.fixture.ask(WRITER);
		LockAttempt waiting = this.fixture.ask(WRITER);
		InMemoryHandle grant = this.fixture.grant(0);
		this.fixture.queue().refuse();
		assertThat(waiting.outcome()).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingRootCause()
			.isInstanceOf(LockServiceUnavailableException.class)
			.withMessageContaining("shutting down");
		assertThat(granted(holder).isValid()).isTrue();
		granted(holder).close();
		assertThat(grant.closes()).isEqualTo(1);
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void refusingGivesUpTheAttempt() {
		LockAttempt waiting = this.fixture.ask(WRITER);
		this.fixture.queue().refuse();
		assertThat(waiting.outcome()).isCompletedExceptionally();
		assertThat(this.fixture.attempt(0).isAbandoned()).isTrue();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void nobodyWaitsOrJoinsAfterRefusing() {
		LockAttempt reader = this.fixture.ask(READER);
		this.fixture.grant(0);
		this.fixture.queue().refuse();
		assertThat(this.fixture.ask(READER).outcome()).isCompletedExceptionally();
		assertThat(this.fixture.ask(WRITER).outcome()).isCompletedExceptionally();
		granted(reader).close();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void acceptsAgain() {
		this.fixture.queue().refuse();
		this.fixture.queue().accept();
		LockAttempt next = this.fixture.ask(WRITER);
		this.fixture.grant(0);
		granted(next).close();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void refusingAndAcceptingReachTheProvider() {
		LockProvider provider = mock(LockProvider.class);
		QueueingLockProvider queue = new QueueingLockProvider(provider, QueueSettings.defaults());
		queue.refuse();
		then(provider).should().refuse();
		queue.accept();
		then(provider).should().accept();
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
		InMemoryHandle grant = this.fixture.grant(0);
		granted(holder).close();
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
