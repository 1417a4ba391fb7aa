package io.interlock.queue;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.interlock.LockMode;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockAttempt.Phase;
import io.interlock.provider.LockGrant;
import io.interlock.testing.ScriptedGrant;
import org.junit.jupiter.api.Test;

import static io.interlock.queue.QueueUnderTest.READER;
import static io.interlock.queue.QueueUnderTest.WRITER;
import static io.interlock.queue.QueueUnderTest.granted;
import static io.interlock.queue.QueueUnderTest.waits;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for readers in {@link QueueingLockProvider}.
 */
class SharedTenureTests {

	private final QueueUnderTest fixture = QueueUnderTest.withLongTenures();

	@Test
	void readersShareOneGrantUntilTheLastLeaves() {
		List<LockAttempt> waiting = IntStream.range(0, 3).mapToObj((i) -> this.fixture.ask(READER)).toList();
		ScriptedGrant grant = this.fixture.grant(0);
		LockGrant joined = granted(this.fixture.ask(READER));
		waiting.forEach((reader) -> granted(reader).release());
		assertThat(joined.state() == LockState.VALID).isTrue();
		assertThat(joined.request().mode()).isEqualTo(LockMode.SHARED);
		assertThat(grant.isReleased()).isFalse();
		joined.release();
		assertThat(grant.releases()).isEqualTo(1);
		assertThat(this.fixture.attempts()).isEqualTo(1);
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void nobodyJoinsPastAWriterWhoWaits() {
		LockAttempt reader = this.fixture.ask(READER);
		this.fixture.grant(0);
		LockAttempt writer = this.fixture.ask(WRITER);
		LockAttempt late = this.fixture.ask(READER);
		assertThat(waits(late)).isTrue();
		this.fixture.grant(1);
		granted(reader).release();
		assertThat(waits(late)).isTrue();
		granted(writer).release();
		granted(late).release();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void aWriterBehindReadersContendsWhileTheyRead() {
		LockAttempt reader = this.fixture.ask(READER);
		this.fixture.grant(0);
		this.fixture.ask(WRITER);
		assertThat(this.fixture.attempts()).isEqualTo(2);
		assertThat(this.fixture.attempt(1).request().mode()).isEqualTo(LockMode.EXCLUSIVE);
		assertThat(granted(reader).state() == LockState.VALID).isTrue();
	}

	@Test
	void onlyTheReadersAtTheHeadAreServedTogether() {
		LockAttempt first = this.fixture.ask(READER);
		LockAttempt second = this.fixture.ask(READER);
		LockAttempt writer = this.fixture.ask(WRITER);
		LockAttempt third = this.fixture.ask(READER);
		this.fixture.grant(0);
		assertThat(granted(first).state() == LockState.VALID).isTrue();
		assertThat(granted(second).state() == LockState.VALID).isTrue();
		assertThat(waits(writer)).isTrue();
		assertThat(waits(third)).isTrue();
	}

	@Test
	void anExclusiveGrantIsHandedToReadersAndTheirHandlesAreShared() {
		LockAttempt writer = this.fixture.ask(WRITER);
		LockAttempt first = this.fixture.ask(READER);
		LockAttempt second = this.fixture.ask(READER);
		LockAttempt next = this.fixture.ask(WRITER);
		ScriptedGrant grant = this.fixture.grant(0);
		granted(writer).release();
		assertThat(granted(first).request().mode()).isEqualTo(LockMode.SHARED);
		assertThat(granted(second).request().mode()).isEqualTo(LockMode.SHARED);
		LockAttempt late = this.fixture.ask(READER);
		assertThat(waits(late)).as("behind a writer, on an exclusive grant").isTrue();
		late.abandon();
		granted(first).release();
		assertThat(waits(next)).isTrue();
		granted(second).release();
		assertThat(granted(next).fencingToken()).isEqualTo(grant.fencingToken());
		assertThat(granted(next).handoff()).isEqualTo(2);
		granted(next).release();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void aSharedGrantIsNeverHandedToAWriter() {
		LockAttempt reader = this.fixture.ask(READER);
		LockAttempt writer = this.fixture.ask(WRITER);
		ScriptedGrant grant = this.fixture.grant(0);
		granted(reader).release();
		assertThat(waits(writer)).isTrue();
		assertThat(grant.isReleased()).isTrue();
		this.fixture.grant(1);
		assertThat(granted(writer).request().mode()).isEqualTo(LockMode.EXCLUSIVE);
	}

	@Test
	void aSharedAttemptIsGivenUpWhenAWriterIsLeft() {
		LockAttempt reader = this.fixture.ask(READER);
		LockAttempt writer = this.fixture.ask(WRITER);
		reader.abandon();
		assertThat(this.fixture.attempt(0).isAbandoned()).isTrue();
		this.fixture.grant(1);
		granted(writer).release();
		this.fixture.assertNothingIsLeft();
	}

	/** An exclusive contender would go on holding up the readers of all instances. */
	@Test
	void theReaderWhoIsLeftByAWriterContendsAsOne() {
		LockAttempt writer = this.fixture.ask(WRITER);
		LockAttempt reader = this.fixture.ask(READER);
		this.fixture.attempt(0).whenAbandoned(() -> assertThat(this.fixture.attempts()).isEqualTo(2));
		writer.abandon();
		assertThat(this.fixture.attempt(0).isAbandoned()).isTrue();
		assertThat(this.fixture.attempt(1).request().mode()).isEqualTo(LockMode.SHARED);
		this.fixture.grant(1);
		assertThat(granted(reader).request().mode()).isEqualTo(LockMode.SHARED);
		granted(reader).release();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void theReaderWhoIsLeftGivesNoMorePlacesUp() {
		LockAttempt writer = this.fixture.ask(WRITER);
		LockAttempt reader = this.fixture.ask(READER);
		writer.abandon();
		this.fixture.ask(WRITER).abandon();
		this.fixture.ask(WRITER).abandon();
		assertThat(this.fixture.attempts()).isEqualTo(2);
		this.fixture.grant(1);
		granted(reader).release();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void nobodyJoinsAnOldTenure() {
		QueueUnderTest strict = QueueUnderTest.withTenures(Duration.ZERO);
		LockAttempt first = strict.ask(READER);
		ScriptedGrant old = strict.grant(0);
		LockAttempt second = strict.ask(READER);
		assertThat(waits(second)).isTrue();
		ScriptedGrant young = strict.grant(1);
		assertThat(granted(second).fencingToken()).isEqualTo(young.fencingToken());
		assertThat(old.isReleased()).isFalse();
		granted(first).release();
		assertThat(old.releases()).isEqualTo(1);
		assertThat(young.isReleased()).isFalse();
		granted(second).release();
		strict.assertNothingIsLeft();
	}

	@Test
	void nobodyJoinsASuspendedTenure() {
		LockAttempt first = this.fixture.ask(READER);
		ScriptedGrant grant = this.fixture.grant(0);
		grant.suspend();
		LockAttempt second = this.fixture.ask(READER);
		assertThat(waits(second)).isTrue();
		assertThat(this.fixture.attempts()).isEqualTo(2);
		assertThat(granted(first).state() == LockState.LOST).isFalse();
	}

	@Test
	void closingOneReaderEndsOnlyHisHandle() {
		LockAttempt first = this.fixture.ask(READER);
		LockAttempt second = this.fixture.ask(READER);
		this.fixture.grant(0);
		granted(first).release();
		granted(first).release();
		assertThat(granted(first).state() == LockState.VALID).isFalse();
		assertThat(granted(second).state() == LockState.VALID).isTrue();
		assertThat(this.fixture.queue().queues().get(0).holders()).isEqualTo(1);
	}

	@Test
	void aTryOfAReaderOnAnOldSharedTenureIsLeftToTheProvider() {
		QueueUnderTest strict = QueueUnderTest.withTenures(Duration.ZERO);
		LockAttempt first = strict.ask(READER);
		strict.grant(0);
		LockAttempt tried = strict.tryOnce(READER);
		assertThat(waits(tried)).isTrue();
		strict.grant(1);
		granted(tried).release();
		granted(first).release();
		strict.assertNothingIsLeft();
	}

	@Test
	void aTryOfAReaderBehindAWriterIsRefusedHere() {
		LockAttempt reader = this.fixture.ask(READER);
		this.fixture.grant(0);
		this.fixture.ask(WRITER);
		this.fixture.attempt(1).at(Phase.QUEUED);
		assertThat(QueueUnderTest.refused(this.fixture.tryOnce(READER))).isTrue();
		assertThat(this.fixture.attempts()).isEqualTo(2);
		assertThat(granted(reader).state() == LockState.VALID).isTrue();
	}

}
