package io.interlock.queue;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.interlock.LockLostException;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockGrant;
import io.interlock.testing.ScriptedGrant;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.junit.jupiter.api.Test;

import static io.interlock.queue.QueueUnderTest.READER;
import static io.interlock.queue.QueueUnderTest.WRITER;
import static io.interlock.queue.QueueUnderTest.onLoss;
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
		LockGrant holder = granted(this.fixture.ask(WRITER), this.fixture.grant(0));
		onLoss(holder, this.told::incrementAndGet);
		this.fixture.attempt(0).granted().lose();
		assertThat(this.told).hasValue(1);
		holder.release();
		assertThat(this.told).hasValue(1);
		assertThat(holder.state() == LockState.LOST).isTrue();
		assertThat(holder.state() == LockState.VALID).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(holder::verify);
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void whoAsksToBeToldAfterTheLossIsToldAtOnce() {
		LockGrant holder = granted(this.fixture.ask(WRITER), this.fixture.grant(0));
		this.fixture.attempt(0).granted().lose();
		onLoss(holder, this.told::incrementAndGet);
		assertThat(this.told).hasValue(1);
	}

	@Test
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.THE_LOCK_IS_LOST)
	void everyReaderIsToldOnce() {
		List<LockAttempt> readers = IntStream.range(0, 5).mapToObj((i) -> this.fixture.ask(READER)).toList();
		ScriptedGrant grant = this.fixture.grant(0);
		readers.forEach((reader) -> onLoss(granted(reader), this.told::incrementAndGet));
		grant.lose();
		await().untilAsserted(() -> assertThat(this.told).hasValue(5));
		readers.forEach((reader) -> granted(reader).release());
		assertThat(this.told).hasValue(5);
		assertThat(grant.releases()).isEqualTo(1);
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void aReaderWhoDawdlesDoesNotKeepTheNewsFromTheOthers() throws Exception {
		List<LockAttempt> readers = IntStream.range(0, 3).mapToObj((i) -> this.fixture.ask(READER)).toList();
		ScriptedGrant grant = this.fixture.grant(0);
		CountDownLatch all = new CountDownLatch(3);
		readers.forEach((reader) -> onLoss(granted(reader), () -> {
			all.countDown();
			awaitQuietly(all);
		}));
		grant.lose();
		assertThat(all.await(10, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void manyReadersAreToldByABoundedNumberOfThreads() throws Exception {
		List<LockAttempt> readers = IntStream.range(0, 100).mapToObj((i) -> this.fixture.ask(READER)).toList();
		ScriptedGrant grant = this.fixture.grant(0);
		Set<Thread> threads = ConcurrentHashMap.newKeySet();
		CountDownLatch busy = new CountDownLatch(65);
		readers.forEach((reader) -> onLoss(granted(reader), () -> {
			threads.add(Thread.currentThread());
			busy.countDown();
			awaitQuietly(busy);
			this.told.incrementAndGet();
		}));
		grant.lose();
		await().untilAsserted(() -> assertThat(this.told).hasValue(100));
		assertThat(threads).hasSize(65);
	}

	/** The answering thread may be one of a client, which must not block. */
	@Test
	void newsThatComesBeforeTheHolderIsToldOnAnotherThreadThanTheAnswer() {
		CompletableFuture<Thread> told = new CompletableFuture<>();
		this.fixture.ask(WRITER).outcome().thenAccept((grant) -> {
			grant.orElseThrow().onStateChange((state) -> told.complete(Thread.currentThread()));
			this.fixture.attempt(0).granted().suspend();
		});
		this.fixture.grant(0);
		assertThat(told).succeedsWithin(Duration.ofSeconds(10)).isNotEqualTo(Thread.currentThread());
	}

	@Test
	void whoHasLeftIsNotTold() {
		LockAttempt first = this.fixture.ask(READER);
		LockAttempt second = this.fixture.ask(READER);
		ScriptedGrant grant = this.fixture.grant(0);
		onLoss(granted(first), this.told::incrementAndGet);
		granted(first).release();
		grant.lose();
		assertThat(this.told).hasValue(0);
		assertThat(granted(first).state() == LockState.LOST).isFalse();
		assertThat(granted(second).state() == LockState.LOST).isTrue();
	}

	@Test
	void whoHasHandedOverIsNotTold() {
		LockAttempt first = this.fixture.ask(WRITER);
		LockAttempt second = this.fixture.ask(WRITER);
		ScriptedGrant grant = this.fixture.grant(0);
		onLoss(granted(first), this.told::incrementAndGet);
		granted(first).release();
		grant.lose();
		assertThat(this.told).hasValue(0);
		assertThat(granted(second).state() == LockState.LOST).isTrue();
	}

	@Test
	void aLossThatTheReleaseFindsIsToldToTheLastHolder() {
		LockGrant holder = granted(this.fixture.ask(WRITER), this.fixture.grant(0));
		ScriptedGrant grant = this.fixture.attempt(0).granted();
		grant.whenReleased(grant::noticeLoss);
		assertThat(holder.release()).isCompletedWithValue(LockState.LOST);
	}

	@Test
	void aHolderThatLeavesWhileTheNewsIsOnItsWayIsTold() {
		LockAttempt first = this.fixture.ask(READER);
		LockAttempt second = this.fixture.ask(READER);
		ScriptedGrant grant = this.fixture.grant(0);
		grant.noticeLoss();
		assertThat(granted(first).release()).isCompletedWithValue(LockState.LOST);
		assertThat(granted(first).state() == LockState.LOST).isTrue();
		grant.tellState();
		assertThat(granted(first).release()).isCompletedWithValue(LockState.LOST);
		assertThat(granted(second).state() == LockState.LOST).isTrue();
	}

	@Test
	void aLostTenureIsNotHandedOverEvenBeforeTheNewsArrives() {
		LockAttempt first = this.fixture.ask(WRITER);
		LockAttempt second = this.fixture.ask(WRITER);
		this.fixture.grant(0).noticeLoss();
		granted(first).release();
		assertThat(waits(second)).isTrue();
		assertThat(this.fixture.attempts()).isEqualTo(2);
	}

	@Test
	void whoWaitsBehindALostTenureContendsAtOnceAndInOrder() {
		LockAttempt holder = this.fixture.ask(WRITER);
		LockAttempt second = this.fixture.ask(WRITER);
		LockAttempt third = this.fixture.ask(WRITER);
		ScriptedGrant lost = this.fixture.grant(0);
		lost.lose();
		ScriptedGrant next = this.fixture.grant(1);
		assertThat(granted(second).fencingToken()).isEqualTo(next.fencingToken());
		assertThat(granted(second).state() == LockState.VALID).isTrue();
		assertThat(waits(third)).isTrue();
		assertThat(granted(holder).state() == LockState.VALID).isFalse();
		granted(holder).release();
		assertThat(granted(second).state() == LockState.VALID).isTrue();
		granted(second).release();
		granted(third).release();
		this.fixture.assertNothingIsLeft();
	}

	@Test
	void nobodyJoinsALostTenure() {
		LockAttempt first = this.fixture.ask(READER);
		this.fixture.grant(0).noticeLoss();
		LockAttempt second = this.fixture.ask(READER);
		assertThat(waits(second)).isTrue();
		assertThat(granted(first).state() == LockState.LOST).isTrue();
	}

	@Test
	void aReceiverWhoIsNotAwakeYetIsToldByItsHandle() {
		LockAttempt first = this.fixture.ask(WRITER);
		LockAttempt second = this.fixture.ask(WRITER);
		ScriptedGrant grant = this.fixture.grant(0);
		granted(first).release();
		grant.lose();
		assertThat(granted(second).state() == LockState.LOST).isTrue();
		assertThat(granted(second).state() == LockState.VALID).isFalse();
	}

	@Test
	void whatATryWasGrantedIsToldToo() {
		LockAttempt tried = this.fixture.tryOnce(WRITER);
		ScriptedGrant grant = this.fixture.grant(0);
		onLoss(granted(tried), this.told::incrementAndGet);
		grant.lose();
		assertThat(this.told).hasValue(1);
	}

	@Test
	void aReleasedShareOfALostGrantIsLost() {
		LockGrant holder = granted(this.fixture.ask(WRITER), this.fixture.grant(0));
		this.fixture.attempt(0).granted().noticeLoss();
		assertThat(holder.release()).isCompletedWithValue(LockState.LOST);
		assertThat(holder.state()).isEqualTo(LockState.LOST);
	}

	@Test
	void everyHolderIsToldOnceOfEachStateInBetween() {
		List<LockAttempt> readers = IntStream.range(0, 2).mapToObj((i) -> this.fixture.ask(READER)).toList();
		ScriptedGrant grant = this.fixture.grant(0);
		List<LockState> states = new CopyOnWriteArrayList<>();
		readers.forEach((reader) -> granted(reader).onStateChange(states::add));
		grant.suspend();
		grant.tellState();
		assertThat(states).containsExactly(LockState.UNCONFIRMED, LockState.UNCONFIRMED);
		assertThat(granted(readers.get(0)).state()).isEqualTo(LockState.UNCONFIRMED);
		grant.resume();
		grant.tellState();
		assertThat(states).endsWith(LockState.VALID, LockState.VALID).hasSize(4);
	}

	private static LockGrant granted(LockAttempt attempt, ScriptedGrant grant) {
		LockGrant handle = QueueUnderTest.granted(attempt);
		assertThat(handle.fencingToken()).isEqualTo(grant.fencingToken());
		return handle;
	}

	private static LockGrant granted(LockAttempt attempt) {
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
