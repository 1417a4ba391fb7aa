package io.interlock.zookeeper.internal.session;

import java.time.Duration;
import java.time.Instant;
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
 * Tests for {@link LeaseKeeper}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeaseKeeperTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	private final SessionMonitor monitor = mock(SessionMonitor.class);

	private final SessionObserver dependents = mock(SessionObserver.class);

	private final LeaseKeeper keeper = new LeaseKeeper(this.monitor, this.dependents, mock(ForgottenConnection.class));

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
		LeasedHold hold = hold(lease());
		this.keeper.register(hold);
		then(hold).should().lose();
	}

	@Test
	void holdsOfALostSessionAreLostAndOthersAreNot() {
		SessionLease lost = lease();
		LeasedHold hold = hold(lost);
		current(lost);
		this.keeper.register(hold);
		SessionLease next = lease();
		current(next);
		LeasedHold other = hold(next);
		this.keeper.register(other);
		this.keeper.sessionLost(lost);
		then(hold).should().lose();
		then(other).should(never()).lose();
	}

	@Test
	@Proves(value = Promise.VALIDITY, under = Fault.THE_SERVERS_ARE_SILENT)
	void holdIsLostWhenItsLeaseIsOver() {
		SessionLease lease = lease();
		current(lease);
		LeasedHold hold = hold(lease);
		long startedAt = System.nanoTime();
		this.keeper.register(hold);
		await().untilAsserted(() -> then(hold).should().lose());
		assertThat(Duration.ofNanos(System.nanoTime() - startedAt)).isBetween(Duration.ofMillis(1700),
				Duration.ofMillis(2500));
	}

	@Test
	void deregisteredHoldIsLeftAlone() {
		SessionLease lease = lease();
		current(lease);
		LeasedHold hold = hold(lease);
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
		LeasedHold overdue = hold(lease);
		LeasedHold hold = hold(lease);
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
		given(this.dependents.isWaiting()).willReturn(true);
		willAnswer((call) -> {
			looks.incrementAndGet();
			Thread.currentThread().interrupt();
			throw new StackOverflowError();
		}).given(this.dependents).look();
		this.keeper.wake();
		await().untilAsserted(() -> assertThat(looks).hasValueGreaterThan(5));
		assertThat(output.getAll().lines().filter((line) -> line.contains("the next look follows"))).hasSize(1);
	}

	private static LeasedHold hold(SessionLease lease) {
		LeasedHold hold = mock(LeasedHold.class);
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
