package io.interlock.queue;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.interlock.LockRequest;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockAttempt.Phase;
import io.interlock.provider.LockGrant;
import io.interlock.testing.ScriptedGrant;
import org.junit.jupiter.api.Test;

import static io.interlock.queue.QueueUnderTest.READER;
import static io.interlock.queue.QueueUnderTest.WRITER;
import static io.interlock.queue.QueueUnderTest.granted;
import static io.interlock.queue.QueueUnderTest.refused;
import static io.interlock.queue.QueueUnderTest.waits;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for grants that are kept for the rest of their minimum time.
 */
class KeptTenureTests {

	private static final Duration REST = Duration.ofMinutes(3);

	private final QueueUnderTest fixture = QueueUnderTest.withLongTenures();

	/** An operator may free the lock at another instance. */
	@Test
	void waitersOfThisInstanceContendAsSoonAsTheLockIsKept() {
		LockAttempt first = this.fixture.ask(WRITER);
		LockAttempt second = this.fixture.ask(WRITER);
		ScriptedGrant grant = this.fixture.grant(0);
		grant.keeps(CompletableFuture.completedFuture(true));
		assertThat(this.fixture.attempts()).isEqualTo(1);
		assertThat(granted(first).keep(REST)).isCompletedWithValue(true);
		assertThat(grant.keptFor()).isEqualTo(REST);
		assertThat(waits(second)).isTrue();
		assertThat(this.fixture.attempts()).isEqualTo(2);
		this.fixture.grant(1);
		granted(second).release();
		assertThat(grant.isReleased()).isFalse();
		granted(first).release();
		assertThat(grant.releases()).isEqualTo(1);
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void oneContenderStandsForAllWaitersOfAKeptLockAndEndsWithTheLast() {
		LockAttempt first = this.fixture.ask(WRITER);
		ScriptedGrant grant = this.fixture.grant(0);
		grant.keeps(CompletableFuture.completedFuture(true));
		granted(first).keep(REST);
		LockAttempt second = this.fixture.ask(WRITER);
		LockAttempt third = this.fixture.ask(WRITER);
		assertThat(this.fixture.attempts()).isEqualTo(2);
		second.abandon();
		assertThat(this.fixture.attempt(1).outcome()).isNotDone();
		third.abandon();
		assertThat(this.fixture.attempt(1).outcome()).isDone();
		granted(first).release();
		this.fixture.assertNothingIsLeft();
	}

	/** Only the service knows whether the lock is still kept. */
	@Test
	void waitForAKeptLockIsBehindItsHolderOnceTheServiceHasSaidSo() {
		LockAttempt first = this.fixture.ask(WRITER);
		ScriptedGrant grant = this.fixture.grant(0);
		grant.keeps(CompletableFuture.completedFuture(true));
		granted(first).keep(REST);
		LockAttempt second = this.fixture.ask(WRITER);
		this.fixture.attempt(1).at(Phase.CONNECTING);
		assertThat(second.phase()).isEqualTo(Phase.CONNECTING);
		this.fixture.attempt(1).at(Phase.QUEUED);
		assertThat(second.phase()).isEqualTo(Phase.QUEUED);
		second.abandon();
		granted(first).release();
		this.fixture.assertNothingIsLeft();
	}

	/** An operator may have freed the lock at another instance. */
	@Test
	void tryAsksTheServiceWhetherTheLockIsStillKept() {
		LockAttempt first = this.fixture.ask(WRITER);
		ScriptedGrant grant = this.fixture.grant(0);
		grant.keeps(CompletableFuture.completedFuture(true));
		granted(first).keep(REST);
		LockAttempt early = this.fixture.tryOnce(WRITER);
		assertThat(this.fixture.attempts()).isEqualTo(2);
		this.fixture.attempt(1).deny();
		assertThat(refused(early)).isTrue();
		LockAttempt second = this.fixture.tryOnce(WRITER);
		this.fixture.grant(2);
		LockAttempt third = this.fixture.ask(WRITER);
		assertThat(waits(third)).isTrue();
		granted(second).release();
		assertThat(granted(third).fencingToken()).isGreaterThan(grant.fencingToken());
		granted(first).release();
		assertThat(grant.releases()).isEqualTo(1);
		granted(third).release();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void tryDoesNotGoPastCallersThatWaitForAKeptLock() {
		LockAttempt first = this.fixture.ask(WRITER);
		ScriptedGrant grant = this.fixture.grant(0);
		grant.keeps(CompletableFuture.completedFuture(true));
		granted(first).keep(REST);
		LockAttempt second = this.fixture.ask(WRITER);
		this.fixture.attempt(1).at(Phase.CREATING);
		LockAttempt overtaking = this.fixture.tryOnce(WRITER);
		this.fixture.grant(2);
		assertThat(refused(overtaking)).isTrue();
		granted(second).keep(REST);
		LockAttempt third = this.fixture.ask(WRITER);
		assertThat(refused(this.fixture.tryOnce(WRITER))).isTrue();
		assertThat(this.fixture.attempts()).isEqualTo(4);
		granted(first).release();
		granted(second).release();
		this.fixture.grant(3);
		granted(third).release();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void callersThatComeLaterDoNotJoin() {
		LockAttempt reader = this.fixture.ask(READER);
		ScriptedGrant grant = this.fixture.grant(0);
		grant.keeps(CompletableFuture.completedFuture(true));
		granted(reader).keep(REST);
		LockAttempt other = this.fixture.ask(READER);
		assertThat(waits(other)).isTrue();
		this.fixture.grant(1);
		granted(other).release();
		granted(reader).release();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void permitIsNotHandedOver() {
		LockRequest permit = LockRequest.semaphore("pool", 2).withWaitTime(LockRequest.FOREVER);
		LockAttempt first = this.fixture.ask(permit);
		ScriptedGrant grant = this.fixture.grant(0);
		grant.keeps(CompletableFuture.completedFuture(true));
		LockAttempt second = this.fixture.ask(permit);
		granted(first).keep(REST);
		granted(first).release();
		assertThat(grant.releases()).isEqualTo(1);
		assertThat(waits(second)).isTrue();
		this.fixture.grant(1);
		granted(second).release();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void grantWithOtherReadersIsKeptByThisInstanceOnly() {
		LockAttempt one = this.fixture.ask(READER);
		LockAttempt two = this.fixture.ask(READER);
		ScriptedGrant grant = this.fixture.grant(0);
		grant.keeps(CompletableFuture.completedFuture(true));
		LockGrant kept = granted(one);
		assertThat(kept.keep(REST)).isCompletedWithValue(false);
		assertThat(grant.keptFor()).isNull();
		granted(two).release();
		assertThat(grant.isReleased()).isFalse();
		kept.release();
		assertThat(grant.releases()).isEqualTo(1);
		this.fixture.assertNothingIsLeft();
	}

}
