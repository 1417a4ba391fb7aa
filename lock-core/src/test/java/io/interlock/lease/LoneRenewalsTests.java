package io.interlock.lease;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.lease.LeaseStore.Renewed;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.testsupport.thread.Spin;
import io.interlock.testsupport.time.MovedTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LoneRenewals}, with holds whose rows are locked at each look.
 */
@ExtendWith(OutputCaptureExtension.class)
class LoneRenewalsTests {

	/** Longer than a machine stalls. It costs nothing, because it never really passes. */
	private static final Duration LEASE = Duration.ofMinutes(1);

	private final MovedTime time = new MovedTime();

	private final MapLeaseStore store = new MapLeaseStore();

	private final Queue<LeaseContender> alone = new ConcurrentLinkedQueue<>();

	private final LeaseLockProvider provider = provider(new MovedLeaseTime(this.time));

	@AfterEach
	void close() {
		this.provider.close();
		this.time.close();
	}

	private LeaseLockProvider provider(LeaseTime time) {
		return new LeaseLockProvider(this.store,
				new LeaseSettings("test", LEASE, Duration.ofMillis(20), Duration.ofSeconds(10), 2, false), time);
	}

	private LockGrant acquire(String name) throws Exception {
		return acquire(this.provider, name);
	}

	private static LockGrant acquire(LeaseLockProvider provider, String name) throws Exception {
		return provider.attempt(LockRequest.exclusive(name), LockCaller.current())
			.outcome()
			.get(10, TimeUnit.SECONDS)
			.orElseThrow();
	}

	private LockGrant acquireLocked(String name) throws Exception {
		return acquireLocked(this.provider, name);
	}

	private LockGrant acquireLocked(LeaseLockProvider provider, String name) throws Exception {
		LockGrant grant = acquire(provider, name);
		this.store.passedOver.add(grant.request().id());
		return grant;
	}

	private void pass(Duration time) {
		this.time.advance(time, LEASE.dividedBy(100));
	}

	private Renewed renewed(LeaseContender contender) {
		this.alone.add(contender);
		return Renewed.of(Set.of(contender));
	}

	@Test
	void holdThatIsLockedAtEachLookIsRenewedAloneAndToldOfOnce(CapturedOutput output) throws Exception {
		this.store.renewedAlone = this::renewed;
		LockGrant hold = acquireLocked("stock");
		for (int part = 0; part < 20; part++) {
			pass(LEASE.dividedBy(5));
			assertThat(hold.state()).isEqualTo(LockState.VALID);
		}
		assertThat(StringUtils.countOccurrencesOf(output.getOut(), "lock stock was not renewed for 2")).isOne();
		assertThat(output).contains("End the transaction that locks the row");
	}

	/**
	 * The thread that renews a hold alone may be faster than the one that tells of it.
	 */
	@Test
	void holdThatIsRenewedAtOnceIsToldOfByItsAgeBefore(CapturedOutput output) throws Exception {
		this.store.renewedAlone = this::renewed;
		try (LeaseLockProvider prompt = provider(new RenewsAtOnce(new MovedLeaseTime(this.time)))) {
			acquireLocked(prompt, "stock");
			pass(LEASE.dividedBy(2));
		}
		assertThat(this.alone).isNotEmpty();
		assertThat(output).contains("lock stock was not renewed for 2");
	}

	@Test
	void holdThatIsPassedOverForAMomentIsNotRenewedAlone(CapturedOutput output) throws Exception {
		this.store.renewedAlone = this::renewed;
		LockGrant hold = acquireLocked("stock");
		pass(LEASE.dividedBy(4));
		this.store.passedOver.clear();
		pass(LEASE);
		assertThat(hold.state()).isEqualTo(LockState.VALID);
		assertThat(this.alone).isEmpty();
		assertThat(output).doesNotContain("was not renewed");
	}

	@Test
	void holdThatTheStoreDoesNotKnowIsLost() throws Exception {
		this.store.renewedAlone = (contender) -> Renewed.of(Set.of());
		LockGrant hold = acquireLocked("stock");
		pass(LEASE.dividedBy(2));
		assertThat(hold.state()).isEqualTo(LockState.LOST);
	}

	@Test
	void holdWhoseTurnDoesNotComeKeepsNoOtherFromBeingRenewed() throws Exception {
		LockGrant first = acquireLocked("first");
		LockGrant second = acquireLocked("second");
		LockGrant third = acquireLocked("third");
		this.store.renewedAlone = (contender) -> {
			if (contender.lock().equals(first.request().id())) {
				throw LeaseStoreException.passing("the row stays locked", null);
			}
			return renewed(contender);
		};
		pass(LEASE.multipliedBy(3));
		assertThat(first.state()).isEqualTo(LockState.LOST);
		assertThat(List.of(second, third)).extracting(LockGrant::state).containsOnly(LockState.VALID);
	}

	@Test
	void renewalOfOthersDoesNotWaitForAHoldThatIsRenewedAlone() throws Exception {
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch turn = new CountDownLatch(1);
		this.store.renewedAlone = (contender) -> {
			asked.countDown();
			LeaseLockProviderTests.awaitUninterruptibly(turn);
			return renewed(contender);
		};
		acquireLocked("stock");
		LeaseGrant other = (LeaseGrant) acquire("other");
		for (int part = 0; part < 5; part++) {
			this.time.jump(LEASE.dividedBy(2));
			long jumped = this.time.nanoTime();
			assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
			Spin.until(() -> other.confirmedAt() - jumped >= 0 || other.isLost());
			assertThat(other.state()).isEqualTo(LockState.VALID);
		}
		turn.countDown();
	}

	@Test
	void answerThatComesBehindALaterOneMakesNoLeaseOlder() throws Exception {
		LeaseGrant hold = (LeaseGrant) acquire("stock");
		long now = hold.confirmedAt();
		hold.confirm(now + 2);
		hold.confirm(now + 1);
		assertThat(hold.confirmedAt()).isEqualTo(now + 2);
	}

	/**
	 * A time in which a hold is renewed alone as soon as a thread is asked to do it.
	 *
	 * @param time the time
	 */
	private record RenewsAtOnce(LeaseTime time) implements LeaseTime {

		@Override
		public long nanoTime() {
			return this.time.nanoTime();
		}

		@Override
		public Future<?> schedule(Runnable task, long nanos) {
			return this.time.schedule(task, nanos);
		}

		@Override
		public ExecutorService threads(int size) {
			return this.time.threads(size);
		}

		@Override
		public ExecutorService waitingThread() {
			return new ThreadPoolExecutor(0, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>()) {

				@Override
				public void execute(Runnable task) {
					task.run();
				}

			};
		}

	}

}
