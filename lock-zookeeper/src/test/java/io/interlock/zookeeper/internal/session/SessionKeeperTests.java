package io.interlock.zookeeper.internal.session;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.zookeeper.SessionSnapshot.State;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.spy;

/**
 * Tests for {@link SessionKeeper}.
 */
@ExtendWith(OutputCaptureExtension.class)
class SessionKeeperTests {

	/** Of sessions that outlive a thread that stands still. */
	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	private static final Duration SHORT_TIMEOUT = Duration.ofSeconds(2);

	private static final Duration LATEST_LOSS = Duration.ofMillis(2500);

	private final SessionMonitor monitor = mock(SessionMonitor.class);

	private final SessionMonitor.Observer dependents = mock(SessionMonitor.Observer.class);

	private final SessionKeeper keeper = new SessionKeeper(this.monitor, this.dependents,
			mock(ForgottenConnection.class));

	@BeforeEach
	void start() {
		given(this.monitor.status()).willReturn(SessionStatus.initial());
		this.keeper.start();
	}

	@AfterEach
	void close() {
		this.keeper.close();
	}

	@Test
	void holdWhoseSessionIsNotTheCurrentOneIsLostAtOnce() {
		current(lease());
		SessionKeeper.LeasedGrant hold = hold(lease());
		this.keeper.register(hold);
		then(hold).should().lose();
	}

	@Test
	void holdsOfALostSessionAreLostAndOthersAreNot() {
		SessionLease lost = lease();
		SessionKeeper.LeasedGrant hold = hold(lost);
		current(lost);
		this.keeper.register(hold);
		SessionLease next = lease();
		current(next);
		SessionKeeper.LeasedGrant other = hold(next);
		this.keeper.register(other);
		this.keeper.sessionLost(lost);
		then(hold).should().lose();
		then(other).should(never()).lose();
	}

	@Test
	@Proves(value = Promise.VALIDITY, under = Fault.THE_SERVERS_ARE_SILENT)
	void holdIsLostWhenItsLeaseIsOver() throws Exception {
		Duration lostAfter = timeUntilLoss();
		// A thread that stands still is late: another time it is not.
		for (int again = 0; again < 4 && lostAfter.compareTo(LATEST_LOSS) > 0; again++) {
			lostAfter = timeUntilLoss();
		}
		assertThat(lostAfter).isLessThanOrEqualTo(LATEST_LOSS);
	}

	private Duration timeUntilLoss() throws Exception {
		long startedAt = System.nanoTime();
		SessionLease lease = new SessionLease(1, SHORT_TIMEOUT, startedAt);
		current(lease);
		SessionKeeper.LeasedGrant hold = hold(lease);
		CompletableFuture<Long> lostAt = new CompletableFuture<>();
		willAnswer((call) -> {
			lostAt.complete(System.nanoTime());
			return null;
		}).given(hold).lose();
		this.keeper.register(hold);
		Duration lostAfter = Duration.ofNanos(lostAt.get(10, TimeUnit.SECONDS) - startedAt);
		then(hold).should().lose();
		assertThat(lostAfter).isGreaterThanOrEqualTo(Duration.ofMillis(1700));
		return lostAfter;
	}

	@Test
	void deregisteredHoldIsLeftAlone() {
		SessionLease lease = lease();
		current(lease);
		SessionKeeper.LeasedGrant hold = hold(lease);
		this.keeper.register(hold);
		this.keeper.deregister(hold);
		this.keeper.sessionLost(lease);
		then(hold).should(never()).lose();
	}

	/**
	 * The lease of an idle instance is over until the first node is created.
	 */
	@Test
	void holdThatIsGrantedWhileAnOldLeaseIsLookedAtIsNotLost() {
		SessionLease lease = spy(new SessionLease(1, TIMEOUT, System.nanoTime() - TIMEOUT.toNanos()));
		SessionKeeper.LeasedGrant overdue = hold(lease);
		SessionKeeper.LeasedGrant hold = hold(lease);
		AtomicBoolean granted = new AtomicBoolean();
		current(lease);
		willAnswer((call) -> {
			boolean over = (boolean) call.callRealMethod();
			if (granted.compareAndSet(false, true)) {
				lease.confirmed(System.nanoTime(), System.nanoTime());
				this.keeper.register(hold);
			}
			return over;
		}).given(lease).isOver(anyLong());
		this.keeper.register(overdue);
		await().untilTrue(granted);
		await().during(Duration.ofMillis(300)).untilAsserted(() -> then(hold).should(never()).lose());
	}

	@Test
	void errorIsSaidOnceAndEndsNothing(CapturedOutput output) {
		AtomicInteger looks = new AtomicInteger();
		// A mock cannot be stubbed safely while another thread uses it.
		SessionMonitor.Observer failing = mock(SessionMonitor.Observer.class);
		given(failing.isWaiting()).willReturn(true);
		willAnswer((call) -> {
			looks.incrementAndGet();
			Thread.currentThread().interrupt();
			throw new StackOverflowError();
		}).given(failing).look();
		try (SessionKeeper starting = new SessionKeeper(this.monitor, failing, mock(ForgottenConnection.class))) {
			starting.start();
			await().untilAsserted(() -> assertThat(looks).hasValueGreaterThan(5));
		}
		assertThat(output.getAll().lines().filter((line) -> line.contains("the next check follows"))).hasSize(1);
	}

	private static SessionKeeper.LeasedGrant hold(SessionLease lease) {
		SessionKeeper.LeasedGrant hold = mock(SessionKeeper.LeasedGrant.class);
		given(hold.lease()).willReturn(lease);
		return hold;
	}

	private static SessionLease lease() {
		return new SessionLease(1, TIMEOUT, System.nanoTime());
	}

	private void current(SessionLease lease) {
		given(this.monitor.status()).willReturn(new SessionStatus(State.SUSPENDED, Instant.now(), lease, 0, 0, null));
	}

}
