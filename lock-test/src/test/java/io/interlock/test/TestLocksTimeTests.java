package io.interlock.test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.interlock.LockHandle;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LossPolicy;
import io.interlock.event.LockEvent;
import io.interlock.provider.LockProvider;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.LockSettings;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the time of {@link TestLocks}. Each wait would last for an hour, so that a
 * test that really waits fails by its timeout.
 */
@Timeout(60)
class TestLocksTimeTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final LockRequest SEAT = LockRequest.exclusive("seats").withKey(42).withWaitTime(HOUR);

	private static final LockRequest KEPT = SEAT.withMinHold(Duration.ofMinutes(5));

	private final TestLocks locks = TestLocks.create();

	private final LockTemplate template = this.locks.template();

	@Test
	void waitBehindAnotherInstanceEndsAtOnce() {
		this.locks.busy("seats", 42);
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.template.acquire(SEAT))
			.withMessageContaining("it is held by another instance");
		assertThat(this.template.tryAcquire(SEAT)).isEmpty();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.template.acquireAll(List.of(SEAT.withKey(41), SEAT)));
		assertThat(this.locks).refused("seats", 42).acquired("seats", 41).times(1).holdsNothing();
		assertThat(this.locks.history()).filteredOn(LockEvent.NotAcquired.class::isInstance).hasSize(3);
	}

	@Test
	void waitWithoutAThreadEndsAtOnce() throws Exception {
		this.locks.busy("seats", 42);
		assertThat(this.template.tryAcquireAsync(SEAT).get(30, TimeUnit.SECONDS)).isEmpty();
		CompletableFuture<LockHandle> refused = this.template.acquireAsync(SEAT);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> refused.get(30, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockNotAcquiredException.class);
		assertThat(this.template.acquireAsync(SEAT.withKey(43)).get(30, TimeUnit.SECONDS).isValid()).isTrue();
	}

	@Test
	void manyWaitsBehindAnotherInstanceEndAtOnce() throws Exception {
		this.locks.busy("seats", 42);
		CountDownLatch start = new CountDownLatch(1);
		List<Background<Boolean>> threads = IntStream.range(0, 4).mapToObj((number) -> Background.start(() -> {
			assertThat(start.await(30, TimeUnit.SECONDS)).isTrue();
			for (int times = 0; times < 500; times++) {
				assertThat(this.template.tryAcquire(SEAT)).isEmpty();
				assertThat(this.template.tryAcquireAsync(SEAT).get(30, TimeUnit.SECONDS)).isEmpty();
			}
			return true;
		})).toList();
		start.countDown();
		for (Background<Boolean> thread : threads) {
			assertThat(thread.join()).isTrue();
		}
		assertThat(this.locks.history()).hasOnlyElementsOfType(LockEvent.NotAcquired.class).hasSize(4000);
	}

	@Test
	void waitBehindAnotherWaitEndsAsContentionToo() throws Exception {
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch mayAnswer = new CountDownLatch(1);
		LockProvider slow = (request, owner) -> {
			asked.countDown();
			assertThat(opens(mayAnswer)).isTrue();
			return this.locks.provider().attempt(request, owner);
		};
		LockTemplate queueing = new LockTemplate(new QueueingLockProvider(slow, QueueSettings.defaults()),
				LockSettings.defaults(), this.locks.heldLocks(), List.of());
		this.locks.busy("seats", 42);
		Background<Optional<LockHandle>> first = Background.start(() -> queueing.tryAcquire(SEAT));
		assertThat(opens(asked)).isTrue();
		Background<Optional<LockHandle>> second = Background.start(() -> queueing.tryAcquire(SEAT));
		await().untilAsserted(() -> assertThat(this.locks.heldLocks().waiting()).hasSize(2));
		mayAnswer.countDown();
		assertThat(first.join()).isEmpty();
		assertThat(second.join()).isEmpty();
	}

	@Test
	void waitWithoutALimitLastsUntilAnotherThreadFreesTheLock() throws Exception {
		LockRequest forever = SEAT.withWaitTime(LockRequest.FOREVER);
		AutoCloseable busy = this.locks.busy("seats", 42);
		Background<Long> waiter = Background.start(() -> this.template.execute(forever, (lock) -> lock.fencingToken()));
		CompletableFuture<Optional<LockHandle>> async = this.template.tryAcquireAsync(forever);
		await().untilAsserted(() -> assertThat(this.locks.heldLocks().waiting()).hasSize(2));
		this.locks.advance(HOUR.multipliedBy(2));
		assertThat(this.locks.heldLocks().waiting()).hasSize(2);
		busy.close();
		async.get(30, TimeUnit.SECONDS).orElseThrow().close();
		assertThat(waiter.join()).isPositive();
	}

	@Test
	void waitBehindAThreadOfTheApplicationIsServedWhenThatReleases() throws Exception {
		LockHandle held = this.template.acquire(SEAT);
		Background<Long> waiter = Background.start(() -> this.template.execute(SEAT, (lock) -> lock.fencingToken()));
		await().untilAsserted(() -> assertThat(this.locks.heldLocks().waiting()).hasSize(1));
		held.close();
		assertThat(waiter.join()).isPositive();
	}

	@Test
	void waitBehindALockThatIsKeptEndsAtOnce() throws Exception {
		CountDownLatch mayEnd = new CountDownLatch(1);
		Background<Boolean> job = Background
			.start(() -> this.template.execute(KEPT, (lock) -> mayEnd.await(30, TimeUnit.SECONDS)));
		await().untilAsserted(() -> assertThat(this.locks).holds("seats", 42));
		Background<Optional<LockHandle>> waiter = Background.start(() -> this.template.tryAcquire(SEAT));
		CompletableFuture<Optional<LockHandle>> async = this.template.tryAcquireAsync(SEAT);
		await().untilAsserted(() -> assertThat(this.locks.heldLocks().waiting()).hasSize(2));
		mayEnd.countDown();
		assertThat(waiter.join()).isEmpty();
		assertThat(async.get(30, TimeUnit.SECONDS)).isEmpty();
		assertThat(job.join()).isTrue();
		assertThat(this.template.tryAcquire(SEAT)).isEmpty();
	}

	@Test
	void minimumTimePassesByAdvancingOnly() {
		this.template.execute(KEPT, (lock) -> "sold");
		this.locks.advance(Duration.ofSeconds(299));
		assertThat(this.template.tryAcquire(SEAT)).isEmpty();
		this.locks.advance(Duration.ofSeconds(1));
		assertThat(this.locks).holdsNothing();
		try (LockHandle next = this.template.acquire(SEAT)) {
			assertThat(next.isValid()).isTrue();
		}
	}

	@Test
	void bodyTakesAsMuchTimeAsItAdvances() {
		this.template.execute(KEPT, (lock) -> {
			this.locks.advance(Duration.ofMinutes(4));
			return "sold";
		});
		this.locks.advance(Duration.ofSeconds(59));
		assertThat(this.locks).holds("seats", 42);
		this.locks.advance(Duration.ofSeconds(1));
		assertThat(this.locks).holdsNothing();
		this.template.execute(KEPT, (lock) -> {
			this.locks.advance(Duration.ofMinutes(5));
			return "sold";
		});
		assertThat(this.locks).holdsNothing();
		assertThat(this.locks.history()).filteredOn(LockEvent.Released.class::isInstance)
			.extracting((event) -> ((LockEvent.Released) event).held())
			.containsExactly(Duration.ofMinutes(4), Duration.ofMinutes(5));
	}

	@Test
	void maximumTimePassesByAdvancingOnly() {
		this.template.execute(SEAT.withMaxHold(Duration.ofMinutes(1)), (lock) -> {
			this.locks.advance(Duration.ofSeconds(59));
			assertThat(overdue()).isEmpty();
			this.locks.advance(Duration.ofMinutes(2));
			assertThat(overdue()).singleElement()
				.extracting((event) -> ((LockEvent.Overdue) event).held())
				.isEqualTo(Duration.ofMinutes(1));
			return "sold";
		});
		this.locks.advance(HOUR);
		assertThat(overdue()).hasSize(1);
	}

	@Test
	void maximumTimeInterruptsABodyThatAsksForIt() {
		LockRequest interrupted = SEAT.withMaxHold(Duration.ofMinutes(1)).withOnLoss(LossPolicy.INTERRUPT);
		boolean flag = this.template.execute(interrupted, (lock) -> {
			this.locks.advance(Duration.ofMinutes(1));
			return Thread.interrupted();
		});
		assertThat(flag).isTrue();
	}

	@Test
	void timesEndInTheirOrder() {
		List<Duration> minutes = List.of(Duration.ofMinutes(3), Duration.ofMinutes(1), Duration.ofMinutes(2));
		for (Duration minimum : minutes) {
			this.template.execute(SEAT.withKey(minimum.toMinutes()).withMinHold(minimum), (lock) -> "sold");
		}
		this.locks.advance(Duration.ofMinutes(2));
		assertThat(this.locks.history()).filteredOn(LockEvent.Released.class::isInstance)
			.extracting((event) -> event.id().key())
			.containsExactly("1", "2");
		assertThat(this.locks).holds("seats", 3);
	}

	@Test
	void refusesToGoBack() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.advance(Duration.ofSeconds(-1)))
			.withMessage("'time' must not be negative: PT-1S");
	}

	private List<LockEvent> overdue() {
		return this.locks.history().stream().filter(LockEvent.Overdue.class::isInstance).toList();
	}

	private static boolean opens(CountDownLatch latch) {
		try {
			return latch.await(30, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
