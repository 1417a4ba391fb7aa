package io.interlock.queue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.interlock.LockAttempt;
import io.interlock.LockHandle;
import io.interlock.LockLostException;
import io.interlock.testing.InMemoryHandle;
import org.junit.jupiter.api.Test;

import static io.interlock.queue.QueueUnderTest.READER;
import static io.interlock.queue.QueueUnderTest.WRITER;
import static io.interlock.queue.QueueUnderTest.waits;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for tenures that are lost.
 */
class TenureLossTests {

	private final QueueUnderTest fixture = QueueUnderTest.withLongTenures();

	private final AtomicInteger told = new AtomicInteger();

	@Test
	void theHolderIsToldOnce() {
		LockHandle holder = granted(this.fixture.ask(WRITER), this.fixture.grant(0));
		holder.onLoss(this.told::incrementAndGet);
		this.fixture.attempt(0).handle().lose();
		assertThat(this.told).hasValue(1);
		holder.close();
		assertThat(this.told).hasValue(1);
		assertThat(holder.isLost()).isTrue();
		assertThat(holder.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(holder::verify);
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void whoAsksToBeToldAfterTheLossIsToldAtOnce() {
		LockHandle holder = granted(this.fixture.ask(WRITER), this.fixture.grant(0));
		this.fixture.attempt(0).handle().lose();
		holder.onLoss(this.told::incrementAndGet);
		assertThat(this.told).hasValue(1);
	}

	@Test
	void everyReaderIsToldOnce() {
		List<LockAttempt> readers = IntStream.range(0, 5).mapToObj((i) -> this.fixture.ask(READER)).toList();
		InMemoryHandle grant = this.fixture.grant(0);
		readers.forEach((reader) -> granted(reader).onLoss(this.told::incrementAndGet));
		grant.lose();
		await().untilAsserted(() -> assertThat(this.told).hasValue(5));
		readers.forEach((reader) -> granted(reader).close());
		assertThat(this.told).hasValue(5);
		assertThat(grant.closes()).isEqualTo(1);
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void aReaderWhoDawdlesDoesNotKeepTheNewsFromTheOthers() throws Exception {
		List<LockAttempt> readers = IntStream.range(0, 3).mapToObj((i) -> this.fixture.ask(READER)).toList();
		InMemoryHandle grant = this.fixture.grant(0);
		CountDownLatch all = new CountDownLatch(3);
		readers.forEach((reader) -> granted(reader).onLoss(() -> {
			all.countDown();
			awaitQuietly(all);
		}));
		grant.lose();
		assertThat(all.await(10, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void whoHasLeftIsNotTold() {
		LockAttempt first = this.fixture.ask(READER);
		LockAttempt second = this.fixture.ask(READER);
		InMemoryHandle grant = this.fixture.grant(0);
		granted(first).onLoss(this.told::incrementAndGet);
		granted(first).close();
		grant.lose();
		assertThat(this.told).hasValue(0);
		assertThat(granted(first).isLost()).isFalse();
		assertThat(granted(second).isLost()).isTrue();
	}

	@Test
	void whoHasHandedOverIsNotTold() {
		LockAttempt first = this.fixture.ask(WRITER);
		LockAttempt second = this.fixture.ask(WRITER);
		InMemoryHandle grant = this.fixture.grant(0);
		granted(first).onLoss(this.told::incrementAndGet);
		granted(first).close();
		grant.lose();
		assertThat(this.told).hasValue(0);
		assertThat(granted(second).isLost()).isTrue();
	}

	@Test
	void aLossThatTheReleaseFindsIsToldToTheLastHolder() {
		LockHandle holder = granted(this.fixture.ask(WRITER), this.fixture.grant(0));
		holder.onLoss(this.told::incrementAndGet);
		InMemoryHandle grant = this.fixture.attempt(0).handle();
		grant.whenClosed(grant::loseInRelease);
		holder.close();
		assertThat(this.told).hasValue(1);
		assertThat(holder.isLost()).isTrue();
	}

	@Test
	void whoClosesWhileTheNewsIsOnItsWayIsTold() {
		LockAttempt first = this.fixture.ask(READER);
		LockAttempt second = this.fixture.ask(READER);
		InMemoryHandle grant = this.fixture.grant(0);
		granted(first).onLoss(this.told::incrementAndGet);
		grant.noticeLoss();
		granted(first).close();
		assertThat(this.told).hasValue(1);
		grant.tellLoss();
		assertThat(this.told).hasValue(1);
		assertThat(granted(second).isLost()).isTrue();
	}

	@Test
	void aLostTenureIsNotHandedOverEvenBeforeTheNewsArrives() {
		LockAttempt first = this.fixture.ask(WRITER);
		LockAttempt second = this.fixture.ask(WRITER);
		this.fixture.grant(0).noticeLoss();
		granted(first).close();
		assertThat(waits(second)).isTrue();
		assertThat(this.fixture.attempts()).isEqualTo(2);
	}

	@Test
	void whoWaitsBehindALostTenureContendsAtOnceAndInOrder() {
		LockAttempt holder = this.fixture.ask(WRITER);
		LockAttempt second = this.fixture.ask(WRITER);
		LockAttempt third = this.fixture.ask(WRITER);
		InMemoryHandle lost = this.fixture.grant(0);
		lost.lose();
		InMemoryHandle next = this.fixture.grant(1);
		assertThat(granted(second).fencingToken()).isEqualTo(next.fencingToken());
		assertThat(granted(second).isValid()).isTrue();
		assertThat(waits(third)).isTrue();
		assertThat(granted(holder).isValid()).isFalse();
		granted(holder).close();
		assertThat(granted(second).isValid()).isTrue();
		granted(second).close();
		granted(third).close();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void nobodyJoinsALostTenure() {
		LockAttempt first = this.fixture.ask(READER);
		this.fixture.grant(0).noticeLoss();
		LockAttempt second = this.fixture.ask(READER);
		assertThat(waits(second)).isTrue();
		assertThat(granted(first).isLost()).isTrue();
	}

	@Test
	void aReceiverWhoIsNotAwakeYetIsToldByItsHandle() {
		LockAttempt first = this.fixture.ask(WRITER);
		LockAttempt second = this.fixture.ask(WRITER);
		InMemoryHandle grant = this.fixture.grant(0);
		granted(first).close();
		grant.lose();
		assertThat(granted(second).isLost()).isTrue();
		assertThat(granted(second).isValid()).isFalse();
	}

	@Test
	void whatATryWasGrantedIsToldToo() {
		LockAttempt tried = this.fixture.tryOnce(WRITER);
		InMemoryHandle grant = this.fixture.grant(0);
		granted(tried).onLoss(this.told::incrementAndGet);
		grant.lose();
		assertThat(this.told).hasValue(1);
	}

	@Test
	void aClosedHandleOfALostGrantIsLost() {
		LockHandle holder = granted(this.fixture.ask(WRITER), this.fixture.grant(0));
		holder.onLoss(() -> assertThat(holder.isLost()).isTrue());
		this.fixture.attempt(0).handle().noticeLoss();
		holder.closeAsync();
		assertThat(holder.isLost()).isTrue();
	}

	@Test
	void anActionThatClosesItsHandleDoesNotWaitForItself() {
		LockHandle holder = granted(this.fixture.ask(WRITER), this.fixture.grant(0));
		holder.onLoss(holder::close);
		holder.onLoss(this.told::incrementAndGet);
		long startedAt = System.nanoTime();
		this.fixture.attempt(0).handle().lose();
		assertThat(Duration.ofNanos(System.nanoTime() - startedAt)).isLessThan(Duration.ofMillis(900));
		assertThat(this.told).hasValue(1);
		this.fixture.assertNothingIsLeft();
	}

	private static LockHandle granted(LockAttempt attempt, InMemoryHandle grant) {
		LockHandle handle = QueueUnderTest.granted(attempt);
		assertThat(handle.fencingToken()).isEqualTo(grant.fencingToken());
		return handle;
	}

	private static LockHandle granted(LockAttempt attempt) {
		return QueueUnderTest.granted(attempt);
	}

	private static void awaitQuietly(CountDownLatch latch) {
		try {
			latch.await(10, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
