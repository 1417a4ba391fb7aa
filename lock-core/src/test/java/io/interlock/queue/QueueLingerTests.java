package io.interlock.queue;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.interlock.LockMode;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.testing.ScriptedGrant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static io.interlock.queue.QueueUnderTest.LONG;
import static io.interlock.queue.QueueUnderTest.READER;
import static io.interlock.queue.QueueUnderTest.WRITER;
import static io.interlock.queue.QueueUnderTest.granted;
import static io.interlock.queue.QueueUnderTest.waits;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willCallRealMethod;
import static org.mockito.Mockito.mock;

/**
 * Tests for grants that stay with this JVM after their last use.
 */
@Timeout(30)
class QueueLingerTests {

	private final QueueUnderTest fixture = lingering(LONG, LONG);

	private static QueueUnderTest lingering(Duration maxTenure, Duration linger) {
		return new QueueUnderTest(new QueueSettings(true, Map.of(), maxTenure, 3, Integer.MAX_VALUE, linger, Map.of()));
	}

	@Test
	void keptGrantDoesNotStay() {
		LockAttempt first = this.fixture.ask(WRITER);
		ScriptedGrant grant = this.fixture.grant(0);
		granted(first).keep(LONG);
		granted(first).release();
		assertThat(grant.releases()).isEqualTo(1);
		this.fixture.assertNothingIsLeft();
	}

	private ScriptedGrant useOnce(QueueUnderTest fixture) {
		LockAttempt first = fixture.ask(WRITER);
		ScriptedGrant grant = fixture.grant(0);
		granted(first).release();
		return grant;
	}

	@Test
	void aGrantDoesNotStayByDefault() {
		QueueUnderTest plain = QueueUnderTest.withLongTenures();
		assertThat(useOnce(plain).isReleased()).isTrue();
		plain.assertNothingIsLeft();
	}

	@Test
	void theNextCallerGetsAnIdleGrantWithoutAskingTheProvider() {
		ScriptedGrant grant = useOnce(this.fixture);
		assertThat(grant.isReleased()).isFalse();
		LockGrant next = granted(this.fixture.ask(WRITER));
		assertThat(next.state() == LockState.VALID).isTrue();
		assertThat(next.fencingToken()).isEqualTo(grant.fencingToken());
		assertThat(next.handoff()).isEqualTo(1);
		assertThat(next.contended()).isFalse();
		assertThat(this.fixture.attempts()).isEqualTo(1);
	}

	@Test
	void aTryGetsAnIdleGrant() {
		useOnce(this.fixture);
		assertThat(granted(this.fixture.tryOnce(WRITER)).state() == LockState.VALID).isTrue();
		assertThat(this.fixture.attempts()).isEqualTo(1);
	}

	@Test
	void readersShareAnIdleExclusiveGrant() {
		useOnce(this.fixture);
		LockGrant first = granted(this.fixture.ask(READER));
		LockGrant second = granted(this.fixture.tryOnce(READER));
		assertThat(first.request().mode()).isEqualTo(LockMode.SHARED);
		assertThat(first.handoff()).isEqualTo(second.handoff());
		assertThat(waits(this.fixture.ask(WRITER))).isTrue();
		assertThat(this.fixture.attempts()).isEqualTo(1);
	}

	@Test
	void aWriterEndsAnIdleSharedGrantAndContends() {
		LockAttempt reader = this.fixture.ask(READER);
		ScriptedGrant shared = this.fixture.grant(0);
		granted(reader).release();
		assertThat(shared.isReleased()).isFalse();
		LockAttempt writer = this.fixture.ask(WRITER);
		assertThat(shared.releases()).isEqualTo(1);
		this.fixture.grant(1).contend();
		granted(writer).release();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void aTryOfAWriterEndsAnIdleSharedGrantAndAsksTheProvider() {
		LockAttempt reader = this.fixture.ask(READER);
		ScriptedGrant shared = this.fixture.grant(0);
		granted(reader).release();
		LockAttempt tried = this.fixture.tryOnce(WRITER);
		assertThat(shared.releases()).isEqualTo(1);
		this.fixture.grant(1).contend();
		granted(tried).release();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void contentionIsWatchedOnceAndNotBeforeTheGrantIsIdle() {
		LockAttempt first = this.fixture.ask(WRITER);
		ScriptedGrant grant = this.fixture.grant(0);
		assertThat(grant.isWatched()).isFalse();
		granted(first).release();
		assertThat(grant.isWatched()).isTrue();
		granted(this.fixture.ask(WRITER)).release();
		assertThat(grant.isReleased()).isFalse();
	}

	@Test
	void contentionEndsAnIdleGrantAtOnce() {
		ScriptedGrant grant = useOnce(this.fixture);
		grant.contend();
		assertThat(grant.releases()).isEqualTo(1);
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void contentionEndsAGrantInUseWhenItsHolderLeaves() {
		ScriptedGrant grant = useOnce(this.fixture);
		LockGrant next = granted(this.fixture.ask(WRITER));
		grant.contend();
		assertThat(grant.isReleased()).isFalse();
		assertThat(next.state() == LockState.VALID).isTrue();
		next.release();
		assertThat(grant.releases()).isEqualTo(1);
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void aProviderThatCannotTellOfContentionGetsItsGrantBackAtOnce() throws Exception {
		LockGrant grant = mock(LockGrant.class);
		given(grant.request()).willReturn(WRITER);
		given(grant.state()).willReturn(LockState.VALID);
		willCallRealMethod().given(grant).onContention(any());
		LockAttempt attempt = mock(LockAttempt.class);
		given(attempt.outcome()).willReturn(CompletableFuture.completedFuture(Optional.of(grant)));
		QueueingLockProvider queue = new QueueingLockProvider((request, owner) -> attempt,
				new QueueSettings(true, Map.of(), LONG, 3, 3, LONG, Map.of()));
		queue.attempt(WRITER, LockCaller.current()).outcome().get().orElseThrow().release();
		then(grant).should().release();
		assertThat(queue.queues()).isEmpty();
	}

	@Test
	void neitherAgeNorNumberEndsATenureWhileNoOtherContends() {
		QueueUnderTest strict = lingering(Duration.ZERO, LONG);
		ScriptedGrant grant = useOnce(strict);
		for (int use = 0; use < 10; use++) {
			LockGrant holder = granted(strict.ask(WRITER));
			LockAttempt waiting = strict.ask(WRITER);
			holder.release();
			granted(waiting).release();
		}
		assertThat(strict.attempts()).isEqualTo(1);
		LockGrant holder = granted(strict.ask(WRITER));
		LockAttempt waiting = strict.ask(WRITER);
		grant.contend();
		holder.release();
		assertThat(waits(waiting)).as("old, and others wait").isTrue();
		assertThat(grant.releases()).isEqualTo(1);
		strict.grant(1).contend();
		granted(waiting).release();
	}

	@Test
	void anIdleGrantEndsAfterTheLingerTime() {
		QueueUnderTest brief = lingering(LONG, Duration.ofMillis(30));
		ScriptedGrant grant = useOnce(brief);
		await().until(grant::isReleased);
		await().untilAsserted(brief::assertNothingIsLeft);
	}

	@Test
	void theLingerTimeCountsFromTheLastUse() {
		Duration linger = Duration.ofMillis(200);
		QueueUnderTest brief = lingering(LONG, linger);
		ScriptedGrant grant = useOnce(brief);
		long lastUse = System.nanoTime();
		while (System.nanoTime() - lastUse < linger.toNanos() / 2) {
			Thread.onSpinWait();
		}
		LockAttempt again = brief.ask(WRITER);
		if (brief.attempts() == 1) {
			lastUse = System.nanoTime();
			granted(again).release();
			await().pollInterval(Duration.ofMillis(1)).until(grant::isReleased);
			assertThat(Duration.ofNanos(System.nanoTime() - lastUse)).isGreaterThanOrEqualTo(linger);
			await().untilAsserted(brief::assertNothingIsLeft);
		}
	}

	@Test
	void aGrantInUseOutlivesTheLingerTime() {
		QueueUnderTest brief = lingering(LONG, Duration.ofMillis(1));
		LockAttempt first = brief.ask(WRITER);
		ScriptedGrant grant = brief.grant(0);
		granted(first).release();
		LockAttempt second = brief.ask(WRITER);
		if (brief.attempts() == 1) {
			await().during(Duration.ofMillis(50)).until(() -> !grant.isReleased());
			granted(second).release();
			await().until(grant::isReleased);
			await().untilAsserted(brief::assertNothingIsLeft);
		}
	}

	@Test
	void anIdleGrantThatIsNotConfirmedEnds() {
		ScriptedGrant grant = useOnce(this.fixture);
		grant.suspend();
		grant.tellState();
		assertThat(grant.releases()).isEqualTo(1);
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void anIdleGrantThatIsLostEnds() {
		ScriptedGrant grant = useOnce(this.fixture);
		grant.lose();
		assertThat(grant.releases()).isEqualTo(1);
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void anIdleGrantThatIsNotValidIsNotTaken() {
		ScriptedGrant grant = useOnce(this.fixture);
		grant.suspend();
		LockAttempt next = this.fixture.ask(WRITER);
		assertThat(waits(next)).isTrue();
		assertThat(grant.releases()).isEqualTo(1);
		this.fixture.grant(1).contend();
		granted(next).release();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void anIdleGrantIsShown() {
		ScriptedGrant grant = useOnce(this.fixture);
		assertThat(this.fixture.queue().queues()).singleElement().satisfies((queue) -> {
			assertThat(queue.idle()).isTrue();
			assertThat(queue.holders()).isZero();
			assertThat(queue.token()).isEqualTo(grant.fencingToken());
		});
		this.fixture.ask(WRITER);
		assertThat(this.fixture.queue().queues()).singleElement()
			.satisfies((queue) -> assertThat(queue.idle()).isFalse());
	}

	@Test
	void closingTheQueueEndsIdleGrants() {
		ScriptedGrant grant = useOnce(this.fixture);
		this.fixture.queue().close();
		assertThat(grant.releases()).isEqualTo(1);
		this.fixture.assertNothingIsLeft();
	}

}
