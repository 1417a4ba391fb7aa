package io.interlock.metrics;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockInterruptedException;
import io.interlock.LockLostException;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockUpgradeException;
import io.interlock.RevocationRequest;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSettings;
import io.interlock.template.LockSnapshot;
import io.interlock.template.LockTemplate;
import io.interlock.testing.ScriptedLockProvider;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.withSettings;

/**
 * Tests for {@link MicrometerLockListener}.
 */
class MicrometerLockListenerTests {

	private static final LockId ID = new LockId("orders", "42");

	private static final Duration TIME = Duration.ofMillis(250);

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final HeldLocks heldLocks = new HeldLocks();

	private final MicrometerLockListener listener = new MicrometerLockListener(this.registry, this.heldLocks);

	private final LockRequest request = LockRequest.exclusive("orders").withKey(42);

	private final LockHandle handle = handle(ID, LockMode.EXCLUSIVE, false);

	@Test
	@SuppressWarnings("NullAway")
	void createWithoutRegistryFails() {
		assertThatIllegalArgumentException().isThrownBy(() -> new MicrometerLockListener(null, new HeldLocks()))
			.withMessage("'registry' must not be null");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void timesAnAcquiredLock(boolean contended) {
		this.listener.onWaiting(this.request);
		this.listener.onAcquired(this.request, handle(ID, LockMode.EXCLUSIVE, contended), TIME);
		assertThatAcquired("acquired", contended);
	}

	@Test
	void timesALockThatWasNotAcquiredAsContended() {
		this.listener.onWaiting(this.request);
		this.listener.onNotAcquired(this.request, TIME);
		assertThatAcquired("not_acquired", true);
	}

	@ParameterizedTest
	@MethodSource("failures")
	void timesAFailureByItsReason(LockException failure, String outcome) {
		this.listener.onWaiting(this.request);
		this.listener.onFailure(this.request, failure);
		assertThatAcquired(outcome, false);
	}

	static Stream<Arguments> failures() {
		return Stream.of(Arguments.of(new LockServiceUnavailableException("no answer", ID, TIME, null), "unavailable"),
				Arguments.of(new LockInterruptedException("interrupted", ID, TIME, null), "interrupted"),
				Arguments.of(new LockUpgradeException("held shared", ID, TIME, null), "failed"),
				Arguments.of(new LockLostException("held and lost", ID, TIME, null), "failed"),
				Arguments.of(new LockException("anything", ID, TIME, null), "failed"));
	}

	@Test
	void timesAHold() {
		this.listener.onAcquired(this.request, this.handle, Duration.ZERO);
		this.listener.onReleased(this.handle, TIME);
		Timer timer = this.registry.get("interlock.hold").tags("name", "orders", "mode", "exclusive").timer();
		assertThat(timer.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(250);
	}

	@Test
	void showsWhatIsHeld() {
		this.listener.onWaiting(this.request);
		this.listener.onAcquired(this.request, this.handle, TIME);
		assertThat(gauge("interlock.held")).isEqualTo(1);
		this.listener.onReleased(this.handle, TIME);
		assertThat(gauge("interlock.held")).isZero();
	}

	@Test
	void showsALostLockAsHeldUntilItIsReleased() {
		this.listener.onAcquired(this.request, this.handle, TIME);
		this.listener.onLost(this.handle);
		assertThat(gauge("interlock.held")).isEqualTo(1);
		this.listener.onReleased(this.handle, TIME);
		assertThat(gauge("interlock.held")).isZero();
	}

	@Test
	void showsWaitsUntilTheLockIsAcquired() {
		this.listener.onWaiting(this.request);
		assertThat(gauge("interlock.waiting")).isEqualTo(1);
		this.listener.onAcquired(this.request, this.handle, TIME);
		assertThat(gauge("interlock.waiting")).isZero();
	}

	@Test
	void showsWaitsUntilTheLockIsRefused() {
		this.listener.onWaiting(this.request);
		this.listener.onNotAcquired(this.request, TIME);
		assertThat(gauge("interlock.waiting")).isZero();
	}

	@Test
	void showsWaitsUntilTheAcquisitionFails() {
		this.listener.onWaiting(this.request);
		this.listener.onFailure(this.request, new LockInterruptedException("interrupted", ID, TIME, null));
		assertThat(gauge("interlock.waiting")).isZero();
	}

	@Test
	void countsHandoffs() {
		LockHandle handedOver = mock(LockHandle.class);
		given(handedOver.handoff()).willReturn(3);
		this.listener.onWaiting(this.request);
		this.listener.onAcquired(this.request, this.handle, TIME);
		assertThat(counter("interlock.handoffs")).isZero();
		this.listener.onAcquired(this.request, handedOver, TIME);
		assertThat(counter("interlock.handoffs")).isEqualTo(1);
	}

	@Test
	void showsTheAgeOfTheOldestHoldUntilItEnds() {
		LockTemplate template = new LockTemplate(new ScriptedLockProvider(), LockSettings.defaults(), this.heldLocks,
				List.of(this.listener));
		LockHandle held = template.acquire(this.request);
		Awaitility.await().until(() -> gauge("interlock.oldest.hold") > 0);
		assertThat(gauge("interlock.oldest.wait")).isZero();
		held.close();
		assertThat(gauge("interlock.oldest.hold")).isZero();
	}

	@Test
	void showsHowMuchOfItsTimeTheLongestWaitHasUsed() {
		Instant now = Instant.now();
		HeldLocks locks = mock(HeldLocks.class);
		given(locks.waiting()).willReturn(List.of(waiting(ID, now.minusSeconds(300), now.plusSeconds(300)),
				waiting(ID, now.minusSeconds(900), now.plusSeconds(100)), waiting(ID, now.minusSeconds(5000), null),
				waiting(new LockId("others", null), now.minusSeconds(99), now.plusSeconds(1))));
		new MicrometerLockListener(this.registry, locks).onWaiting(this.request);
		assertThat(gauge("interlock.wait.ratio")).isBetween(0.9, 0.95);
	}

	@Test
	void waitThatIsOverOrHasNoLimitHasARatioFromZeroToOne() {
		Instant now = Instant.now();
		HeldLocks locks = mock(HeldLocks.class);
		new MicrometerLockListener(this.registry, locks).onWaiting(this.request);
		assertThat(gauge("interlock.wait.ratio")).isZero();
		given(locks.waiting()).willReturn(List.of(waiting(ID, now.minusSeconds(5000), null)));
		assertThat(gauge("interlock.wait.ratio")).isZero();
		given(locks.waiting()).willReturn(List.of(waiting(ID, now, now)));
		assertThat(gauge("interlock.wait.ratio")).isZero();
		given(locks.waiting()).willReturn(List.of(waiting(ID, now.minusSeconds(5), now.minusSeconds(1))));
		assertThat(gauge("interlock.wait.ratio")).isEqualTo(1);
	}

	private static LockSnapshot waiting(LockId id, Instant since, @Nullable Instant until) {
		return new LockSnapshot(id, LockMode.EXCLUSIVE, null, false, null, "waiter", since, List.of(), null, until,
				null);
	}

	@Test
	void keptLockIsHeldAndNoOldHold() {
		LockTemplate template = new LockTemplate(new ScriptedLockProvider(), LockSettings.defaults(), this.heldLocks,
				List.of(this.listener));
		template.acquire(this.request.withMinHold(Duration.ofHours(1))).close();
		assertThat(gauge("interlock.held")).isEqualTo(1);
		Awaitility.await().during(Duration.ofMillis(20)).until(() -> gauge("interlock.oldest.hold") == 0);
		this.heldLocks.releaseKept();
		assertThat(gauge("interlock.held")).isZero();
		assertThat(this.registry.get("interlock.hold").timer().max(TimeUnit.MINUTES)).isLessThan(1);
	}

	@Test
	void countsLosses() {
		this.listener.onWaiting(this.request);
		assertThat(counter("interlock.lost")).isZero();
		this.listener.onLost(this.handle);
		assertThat(counter("interlock.lost")).isEqualTo(1);
	}

	@Test
	void countsOverdueHolds() {
		this.listener.onWaiting(this.request);
		assertThat(counter("interlock.overdue")).isZero();
		this.listener.onOverdue(this.handle, TIME);
		assertThat(counter("interlock.overdue")).isEqualTo(1);
	}

	@Test
	void countsRequestsToGiveALockUp() {
		this.listener.onWaiting(this.request);
		assertThat(counter("interlock.revocation.requests")).isZero();
		this.listener.onRevocationRequested(this.handle, new RevocationRequest("'alice'", Instant.EPOCH));
		assertThat(counter("interlock.revocation.requests")).isEqualTo(1);
	}

	@Test
	void keepsModesApart() {
		this.listener.onAcquired(this.request, this.handle, TIME);
		this.listener.onAcquired(LockRequest.shared("orders"),
				handle(new LockId("orders", null), LockMode.SHARED, false), TIME);
		assertThat(this.registry.get("interlock.acquire").tag("mode", "exclusive").timer().count()).isEqualTo(1);
		assertThat(this.registry.get("interlock.acquire").tag("mode", "shared").timer().count()).isEqualTo(1);
	}

	@Test
	void keepsTheNumberOfMetersWhateverTheNumberOfKeys() {
		cycle(LockRequest.exclusive("orders").withKey("first"));
		int meters = this.registry.getMeters().size();
		LockHandle handle = mock(LockHandle.class, withSettings().stubOnly());
		AtomicReference<LockId> id = new AtomicReference<>();
		given(handle.id()).willAnswer((call) -> id.get());
		given(handle.mode()).willReturn(LockMode.EXCLUSIVE);
		for (int i = 0; i < 10_000; i++) {
			LockRequest request = LockRequest.exclusive("orders").withKey(i);
			id.set(request.id());
			cycle(request, handle);
		}
		assertThat(this.registry.getMeters()).hasSize(meters)
			.flatExtracting((meter) -> meter.getId().getTags())
			.extracting(Tag::getKey)
			.containsOnly("name", "mode", "outcome", "contended");
		assertThat(this.registry.get("interlock.acquire").timer().count()).isEqualTo(10_001);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void keepsTheNumberOfMetersWhateverTheNumberOfNames(CapturedOutput output) {
		LockTemplate template = new LockTemplate(new ScriptedLockProvider(), LockSettings.defaults(), this.heldLocks,
				List.of(this.listener));
		for (int i = 0; i < 1_000; i++) {
			template.executeWithoutResult(LockRequest.exclusive("order-" + i), (lock) -> {
			});
		}
		int meters = this.registry.getMeters().size();
		assertThat(output.getOut()).doesNotContain("have no meters");
		for (int i = 1_000; i < 2_000; i++) {
			template.executeWithoutResult(LockRequest.exclusive("order-" + i), (lock) -> {
			});
		}
		assertThat(this.registry.getMeters()).hasSize(meters);
		assertThat(output.getOut()).containsOnlyOnce("Lock 'order-1000' and further ones have no meters, because 1000 "
				+ "lock names already have them. Put the part of a name that varies, such as an id, into the key");
		template.executeWithoutResult(LockRequest.exclusive("order-7"), (lock) -> {
		});
		assertThat(this.registry.get("interlock.hold").tag("name", "order-7").timer().count()).isEqualTo(2);
	}

	@Test
	void oneSnapshotServesAllGaugesOfAScrape() {
		HeldLocks locks = mock(HeldLocks.class);
		MicrometerLockListener many = new MicrometerLockListener(this.registry, locks);
		for (int i = 0; i < 100; i++) {
			many.onWaiting(LockRequest.exclusive("name-" + i));
		}
		for (int scrapes = 1; scrapes <= 3; scrapes++) {
			this.registry.forEachMeter(
					(meter) -> meter.measure().forEach((each) -> assertThat(each.getValue()).isNotNegative()));
			then(locks).should(times(scrapes)).held();
			then(locks).should(times(scrapes)).waiting();
		}
	}

	@Test
	void modesOfANameCountOnce() {
		MicrometerLockListener one = new MicrometerLockListener(this.registry, this.heldLocks, 1);
		one.onWaiting(this.request);
		one.onWaiting(LockRequest.shared("orders"));
		one.onWaiting(LockRequest.shared("others"));
		assertThat(this.registry.find("interlock.waiting").gauges()).hasSize(2);
	}

	@Test
	void describesEveryMeter() {
		cycle(this.request);
		assertThat(this.registry.getMeters()).extracting(Meter::getId)
			.allSatisfy((id) -> assertThat(id.getDescription()).isNotBlank())
			.allSatisfy((id) -> assertThat(id.getBaseUnit()).isIn("seconds", "locks", "threads", "ratio"))
			.extracting(Meter.Id::getName)
			.containsExactlyInAnyOrder("interlock.acquire", "interlock.hold", "interlock.held", "interlock.waiting",
					"interlock.lost", "interlock.overdue", "interlock.handoffs", "interlock.oldest.hold",
					"interlock.oldest.wait", "interlock.wait.ratio", "interlock.revocation.requests",
					"interlock.transactions.refused");
	}

	@Test
	void countsEveryCallOfManyThreads() throws InterruptedException {
		int threads = 8;
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		CountDownLatch start = new CountDownLatch(1);
		for (int i = 0; i < threads; i++) {
			LockHandle handle = handle(this.request.id(), this.request.mode(), false);
			executor.execute(() -> {
				awaitUninterruptibly(start);
				for (int n = 0; n < 1_000; n++) {
					cycle(this.request, handle);
				}
			});
		}
		start.countDown();
		executor.shutdown();
		assertThat(executor.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
		assertThat(this.registry.get("interlock.acquire").timer().count()).isEqualTo(8_000);
		assertThat(gauge("interlock.held")).isZero();
		assertThat(gauge("interlock.waiting")).isZero();
	}

	private void cycle(LockRequest request) {
		cycle(request, handle(request.id(), request.mode(), false));
	}

	private void cycle(LockRequest request, LockHandle handle) {
		this.listener.onWaiting(request);
		this.listener.onAcquired(request, handle, TIME);
		this.listener.onReleased(handle, TIME);
	}

	private void assertThatAcquired(String outcome, boolean contended) {
		Timer timer = this.registry.get("interlock.acquire").timer();
		assertThat(timer.getId().getTags()).containsExactlyInAnyOrder(Tag.of("name", "orders"),
				Tag.of("mode", "exclusive"), Tag.of("outcome", outcome),
				Tag.of("contended", Boolean.toString(contended)));
		assertThat(timer.count()).isEqualTo(1);
		assertThat(timer.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(250);
	}

	private double gauge(String name) {
		return this.registry.get(name).tags("name", "orders", "mode", "exclusive").gauge().value();
	}

	private double counter(String name) {
		return this.registry.get(name).tags("name", "orders", "mode", "exclusive").counter().count();
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static LockHandle handle(LockId id, LockMode mode, boolean contended) {
		LockHandle handle = mock(LockHandle.class, withSettings().stubOnly());
		given(handle.id()).willReturn(id);
		given(handle.mode()).willReturn(mode);
		given(handle.contended()).willReturn(contended);
		return handle;
	}

}
