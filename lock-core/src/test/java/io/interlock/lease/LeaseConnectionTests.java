package io.interlock.lease;

import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.lease.LeaseStoreSnapshot.State;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.testsupport.time.MovedTime;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LeaseConnection}, as a {@link LeaseLockProvider} shows it, on a store
 * that fails when it is told to.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeaseConnectionTests {

	private static final Duration LEASE = Duration.ofMinutes(1);

	private final MovedTime time = new MovedTime();

	private final ImpatientTime leaseTime = new ImpatientTime(this.time);

	private final MapLeaseStore store = new MapLeaseStore();

	private final LeaseLockProvider provider = new LeaseLockProvider(this.store,
			new LeaseSettings("test", LEASE, Duration.ofMillis(20), Duration.ofSeconds(10), 2, false), this.leaseTime);

	private final CountDownLatch answer = new CountDownLatch(1);

	@AfterEach
	void close() {
		this.answer.countDown();
		this.store.failure = null;
		this.provider.close();
		this.time.close();
	}

	private void fail() {
		this.store.failure = LeaseStoreException.passing("the test lets the store fail", null);
	}

	private void age(double leases) {
		this.time.jump(Duration.ofMillis((long) (leases * LEASE.toMillis())));
	}

	private State state() {
		return this.provider.currentSnapshot().state();
	}

	private LockGrant acquire() throws Exception {
		return begin("stock").outcome().get(10, TimeUnit.SECONDS).orElseThrow();
	}

	private LockAttempt begin(String name) {
		return this.provider.attempt(LockRequest.exclusive(name), LockCaller.current());
	}

	@Test
	void storeThatHasNeverAnsweredIsNotConnected() {
		fail();
		LeaseStoreSnapshot snapshot = this.provider.currentSnapshot();
		assertThat(snapshot.state()).isEqualTo(State.CONNECTING);
		assertThat(snapshot.answerAge()).isNull();
		assertThat(snapshot.failure()).isEqualTo("the test lets the store fail");
	}

	@Test
	void storeThatAnswersIsConnected() {
		LeaseStoreSnapshot snapshot = this.provider.currentSnapshot();
		assertThat(snapshot.state()).isEqualTo(State.CONNECTED);
		assertThat(snapshot.answerAge()).isLessThan(LEASE);
		assertThat(snapshot.failure()).isNull();
	}

	@Test
	void anyRequestIsAnAnswer() throws Exception {
		acquire();
		age(0.2);
		assertThat(state()).isEqualTo(State.CONNECTED);
		assertThat(this.store.questions).hasValue(0);
	}

	@Test
	void storeIsAskedOnlyWhenItsNewestAnswerIsOld() {
		assertThat(state()).isEqualTo(State.CONNECTED);
		assertThat(state()).isEqualTo(State.CONNECTED);
		assertThat(this.store.questions).hasValue(1);
		age(0.4);
		assertThat(state()).isEqualTo(State.CONNECTED);
		assertThat(this.store.questions).hasValue(2);
	}

	@Test
	void storeThatFailsIsSuspendedAndLostAfterTheLeaseAndRecovers() {
		assertThat(state()).isEqualTo(State.CONNECTED);
		fail();
		age(0.4);
		assertThat(state()).isEqualTo(State.SUSPENDED);
		age(0.6);
		LeaseStoreSnapshot lost = this.provider.currentSnapshot();
		assertThat(lost.state()).isEqualTo(State.LOST);
		assertThat(lost.failure()).isEqualTo("the test lets the store fail");
		this.store.failure = null;
		assertThat(state()).isEqualTo(State.CONNECTED);
	}

	@Test
	void instanceThatWasIdleIsNotTakenForAnOutage() {
		assertThat(state()).isEqualTo(State.CONNECTED);
		age(100);
		assertThat(state()).isEqualTo(State.CONNECTED);
	}

	@Test
	void failureOfOneRequestIsNoOutage() throws Exception {
		acquire();
		fail();
		LockAttempt refused = begin("orders");
		await().until(() -> refused.obstacle() != null);
		this.store.failure = null;
		assertThat(state()).isEqualTo(State.CONNECTED);
		refused.abandon();
	}

	/** The answer before may be a moment old. */
	@Test
	void storeThatHasRefusedARequestIsAskedAtOnce() throws Exception {
		acquire();
		fail();
		LockAttempt refused = begin("orders");
		await().until(() -> refused.obstacle() != null);
		LeaseStoreSnapshot snapshot = this.provider.currentSnapshot();
		assertThat(snapshot.state()).isEqualTo(State.SUSPENDED);
		assertThat(snapshot.failure()).isEqualTo("the test lets the store fail");
		refused.abandon();
	}

	/** A replica answers a release of what it does not have. */
	@Test
	void releaseThatFindsNothingIsNoProofThatLocksCanBeAcquired() throws Exception {
		LockGrant gone = acquire();
		this.store.holders.clear();
		this.store.renewalsFail = true;
		this.store.beforeQuestion = this::fail;
		age(0.4);
		assertThat(state()).isEqualTo(State.SUSPENDED);
		this.store.failure = null;
		assertThat(gone.release().get(10, TimeUnit.SECONDS)).isEqualTo(LockState.LOST);
		LeaseStoreSnapshot snapshot = this.provider.snapshot();
		assertThat(snapshot.state()).isEqualTo(State.SUSPENDED);
		assertThat(snapshot.failure()).isEqualTo("the test lets the store fail");
	}

	@Test
	void releaseThatEndsAHoldEndsAnOutage() throws Exception {
		LockGrant hold = acquire();
		fail();
		age(0.4);
		assertThat(state()).isEqualTo(State.SUSPENDED);
		this.store.failure = null;
		hold.release().get(10, TimeUnit.SECONDS);
		assertThat(this.provider.snapshot().state()).isEqualTo(State.CONNECTED);
	}

	@Test
	void outageIsShownThoughTheLastHoldEndsInItsMidst() throws Exception {
		LockGrant hold = acquire();
		fail();
		CompletableFuture<LockState> release = hold.release();
		this.time.advance(Duration.ofSeconds(4), Duration.ofMillis(100));
		assertThat(release).isNotDone();
		assertThat(state()).isEqualTo(State.SUSPENDED);
		assertThat(this.provider.currentSnapshot().failure()).isEqualTo("the test lets the store fail");
		this.store.failure = null;
		assertThat(state()).isEqualTo(State.CONNECTED);
	}

	@Test
	void silentStoreIsAskedOnceAndBoundsTheWait() {
		assertThat(state()).isEqualTo(State.CONNECTED);
		CountDownLatch asked = new CountDownLatch(1);
		this.store.beforeQuestion = () -> {
			asked.countDown();
			awaitAnswer();
		};
		age(0.4);
		assertThat(this.provider.snapshot().state()).isEqualTo(State.CONNECTED);
		await().until(() -> asked.getCount() == 0);
		this.leaseTime.impatient = true;
		LeaseStoreSnapshot silent = this.provider.currentSnapshot();
		assertThat(silent.state()).isEqualTo(State.SUSPENDED);
		assertThat(silent.failure()).contains("not answered");
		assertThat(this.provider.snapshot().state()).isEqualTo(State.SUSPENDED);
		assertThat(this.store.questions).hasValue(2);
		this.answer.countDown();
		await().untilAsserted(() -> assertThat(this.provider.snapshot().state()).isEqualTo(State.CONNECTED));
	}

	/** A pool tries to connect for longer than a look at the store is patient. */
	@Test
	void storeThatRefusesIsNotToldToBeSilentWhileItIsAskedAgain() {
		assertThat(state()).isEqualTo(State.CONNECTED);
		this.store.failure = LeaseStoreException.passing("the database refuses",
				new IllegalStateException(new ConnectException("Connection refused")));
		age(0.4);
		assertThat(this.provider.currentSnapshot().failure()).isEqualTo("the database refuses");
		CountDownLatch asked = new CountDownLatch(1);
		this.store.beforeQuestion = () -> {
			asked.countDown();
			awaitAnswer();
		};
		this.provider.snapshot();
		await().until(() -> asked.getCount() == 0);
		this.leaseTime.impatient = true;
		age(0.4);
		assertThat(this.provider.currentSnapshot().failure()).isEqualTo("the database refuses");
	}

	@Test
	void holdsThatCannotBeRenewedAreInDoubt() throws Exception {
		LockGrant grant = acquire();
		this.store.renewalsFail = true;
		this.time.advance(LEASE.dividedBy(2), LEASE.dividedBy(100));
		LeaseStoreSnapshot doubt = this.provider.currentSnapshot();
		assertThat(doubt.state()).isEqualTo(State.SUSPENDED);
		assertThat(doubt.holds()).isOne();
		grant.release();
		await().untilAsserted(() -> assertThat(state()).isEqualTo(State.CONNECTED));
	}

	@Test
	void holdThatIsGrantedAfterAnOutageEndsIt() throws Exception {
		LockGrant before = acquire();
		fail();
		this.time.advance(LEASE, LEASE.dividedBy(100));
		assertThat(state()).isEqualTo(State.LOST);
		assertThat(before.state()).isEqualTo(LockState.LOST);
		this.store.failure = null;
		this.store.holders.clear();
		LockGrant after = acquire();
		LeaseStoreSnapshot snapshot = this.provider.snapshot();
		assertThat(snapshot.state()).isEqualTo(State.CONNECTED);
		assertThat(snapshot.failure()).isNull();
		assertThat(snapshot.holds()).isOne();
		after.release();
	}

	@Test
	void shortHoldsEndAnOutageThatOneOfThemHasSeen() throws Exception {
		LockGrant seen = acquire();
		this.store.renewalsFail = true;
		this.time.advance(LEASE.dividedBy(10), LEASE.dividedBy(100));
		assertThat(this.provider.snapshot().state()).isEqualTo(State.SUSPENDED);
		seen.release().get(10, TimeUnit.SECONDS);
		acquire();
		assertThat(this.provider.snapshot().state()).isEqualTo(State.CONNECTED);
	}

	@Test
	void eachOutageIsToldOnceThoughNoRenewalSucceedsBetween(CapturedOutput output) throws Exception {
		for (int outage = 1; outage <= 2; outage++) {
			LockGrant hold = acquire();
			this.store.renewalsFail = true;
			this.time.advance(LEASE.dividedBy(5), LEASE.dividedBy(100));
			hold.release().get(10, TimeUnit.SECONDS);
			this.store.renewalsFail = false;
			acquire().release().get(10, TimeUnit.SECONDS);
			this.time.advance(LEASE, LEASE.dividedBy(100));
			assertThat(output.getOut().split("were not renewed", -1)).hasSize(outage + 1);
		}
	}

	@Test
	void threadThatCannotBeStartedKeepsNoQuestionFromBeingAsked() {
		this.leaseTime.withoutThreads = true;
		LeaseStoreSnapshot unasked = this.provider.currentSnapshot();
		assertThat(unasked.state()).isEqualTo(State.CONNECTING);
		assertThat(unasked.failure()).isEqualTo("no thread, by the test");
		this.leaseTime.withoutThreads = false;
		assertThat(state()).isEqualTo(State.CONNECTED);
		fail();
		age(0.4);
		assertThat(state()).isEqualTo(State.SUSPENDED);
	}

	@Test
	void renewalForWhichNoThreadIsStartedIsNoOutageOfLaterHolds() throws Exception {
		LockGrant hold = acquire();
		this.leaseTime.withoutThreads = true;
		this.time.advance(LEASE.dividedBy(10), LEASE.dividedBy(100));
		assertThat(this.provider.snapshot().failure()).isEqualTo("no thread, by the test");
		this.leaseTime.withoutThreads = false;
		hold.release().get(10, TimeUnit.SECONDS);
		acquire();
		assertThat(this.provider.snapshot().state()).isEqualTo(State.CONNECTED);
	}

	@Test
	void pendingReleasesAreCounted() throws Exception {
		LockGrant grant = acquire();
		fail();
		grant.release();
		assertThat(this.provider.currentSnapshot().pendingReleases()).isOne();
	}

	@Test
	void closedProviderSaysSoAndAsksNothing() {
		this.provider.close();
		assertThat(state()).isEqualTo(State.CLOSED);
		assertThat(this.store.questions).hasValue(0);
	}

	private void awaitAnswer() {
		try {
			this.answer.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * The time of the test. Once it is told so, a wait is over at once, and its time has
	 * passed.
	 */
	private static final class ImpatientTime implements LeaseTime {

		private final MovedTime time;

		private volatile boolean impatient;

		private volatile boolean withoutThreads;

		ImpatientTime(MovedTime time) {
			this.time = time;
		}

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
			return new ThreadPoolExecutor(size, size, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>()) {

				private final ExecutorService threads = ImpatientTime.this.time.threads("interlock-worker-", size);

				@Override
				public void execute(Runnable task) {
					if (ImpatientTime.this.withoutThreads) {
						throw new InternalError("no thread, by the test");
					}
					this.threads.execute(task);
				}

				@Override
				public void shutdown() {
					super.shutdown();
					this.threads.shutdown();
				}

			};
		}

		@Override
		public <T extends @Nullable Object> T await(CompletableFuture<T> answer, long nanos)
				throws InterruptedException, ExecutionException, TimeoutException {
			if (this.impatient) {
				this.time.jump(Duration.ofNanos(nanos));
				throw new TimeoutException();
			}
			return answer.get(10, TimeUnit.SECONDS);
		}

	}

}
