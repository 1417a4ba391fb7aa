package io.interlock.lease;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.testsupport.time.MovedTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link KeptLeases}.
 */
class KeptLeasesTests {

	private static final Duration LEASE = Duration.ofMinutes(1);

	private static final Duration REST = Duration.ofHours(1);

	private static final LockRequest TRY = LockRequest.exclusive("stock").withWaitTime(Duration.ZERO);

	private final MovedTime time = new MovedTime();

	private final MapLeaseStore store = new MapLeaseStore();

	private final LeaseLockProvider provider = new LeaseLockProvider(this.store,
			new LeaseSettings("test", LEASE, Duration.ofMillis(20), Duration.ofSeconds(10), 2, false),
			new MovedLeaseTime(this.time));

	private final List<LockState> news = new CopyOnWriteArrayList<>();

	@BeforeEach
	void keep() {
		this.store.keeping = true;
	}

	@AfterEach
	void close() {
		this.store.failure = null;
		this.provider.close();
		this.time.close();
	}

	private LockGrant kept(String name) throws Exception {
		LockGrant grant = this.provider.attempt(LockRequest.exclusive(name), LockCaller.current())
			.outcome()
			.get(10, TimeUnit.SECONDS)
			.orElseThrow();
		grant.onStateChange(this.news::add);
		assertThat(grant.keep(REST).get(10, TimeUnit.SECONDS)).isTrue();
		return grant;
	}

	private void pass(Duration time) {
		this.time.advance(time, LEASE.dividedBy(100));
	}

	@Test
	void keptHoldThatAnotherInstanceHasFreedIsLostWithinAThirdOfALease() throws Exception {
		LockGrant freed = kept("freed");
		LockGrant other = kept("other");
		this.store.holders.remove(freed.request().id());
		pass(LEASE.dividedBy(3));
		await().until(() -> this.news.equals(List.of(LockState.LOST)));
		assertThat(freed.state()).isEqualTo(LockState.LOST);
		assertThat(other.state()).isEqualTo(LockState.VALID);
		assertThat(freed.release().get(10, TimeUnit.SECONDS)).isEqualTo(LockState.LOST);
		assertThat(other.release().get(10, TimeUnit.SECONDS)).isEqualTo(LockState.RELEASED);
	}

	@Test
	void answerThatNamesALaterHolderTellsThatAKeptHoldIsFreed() throws Exception {
		LockGrant freed = kept("stock");
		assertThat(tryOnce(this.provider, TRY)).isEmpty();
		assertThat(freed.state()).isEqualTo(LockState.VALID);
		this.store.holders.remove(freed.request().id());
		LeaseContender other = new LeaseContender("other", "another instance", freed.request().id(), LockMode.EXCLUSIVE,
				1, false);
		assertThat(this.store.acquire(other, LEASE, false).granted()).isTrue();
		assertThat(tryOnce(this.provider, TRY)).isEmpty();
		assertThat(freed.state()).isEqualTo(LockState.LOST);
		assertThat(this.store.release(other)).isTrue();
	}

	@Test
	void grantTellsThatTheKeptHoldBeforeIsFreed() throws Exception {
		LockGrant freed = kept("stock");
		this.store.holders.remove(freed.request().id());
		LockGrant next = tryOnce(this.provider, TRY).orElseThrow();
		assertThat(freed.state()).isEqualTo(LockState.LOST);
		assertThat(next.state()).isEqualTo(LockState.VALID);
		assertThat(next.keep(REST).get(10, TimeUnit.SECONDS)).isTrue();
		assertThat(freed.release().get(10, TimeUnit.SECONDS)).isEqualTo(LockState.LOST);
		assertThat(tryOnce(this.provider, TRY)).isEmpty();
		assertThat(next.state()).isEqualTo(LockState.VALID);
		assertThat(next.release().get(10, TimeUnit.SECONDS)).isEqualTo(LockState.RELEASED);
	}

	@Test
	void nextTryOfThisInstanceLearnsThatAnotherOneHasFreedTheLock() throws Exception {
		LockRequest request = LockRequest.exclusive("stock").withWaitTime(Duration.ZERO);
		try (QueueingLockProvider queue = new QueueingLockProvider(this.provider, QueueSettings.defaults())) {
			LockGrant kept = tryOnce(queue, request).orElseThrow();
			assertThat(kept.keep(REST).get(10, TimeUnit.SECONDS)).isTrue();
			assertThat(tryOnce(queue, request)).isEmpty();
			this.store.holders.remove(request.id());
			LockGrant next = tryOnce(queue, request).orElseThrow();
			assertThat(next.fencingToken()).isGreaterThan(kept.fencingToken());
			kept.release().get(10, TimeUnit.SECONDS);
			assertThat(next.state()).isEqualTo(LockState.VALID);
			assertThat(next.release().get(10, TimeUnit.SECONDS)).isEqualTo(LockState.RELEASED);
		}
	}

	@Test
	void nextWaitOfThisInstanceLearnsThatAnotherOneHasFreedTheLock() throws Exception {
		LockRequest request = LockRequest.exclusive("stock").withWaitTime(REST);
		try (QueueingLockProvider queue = new QueueingLockProvider(this.provider, QueueSettings.defaults())) {
			LockGrant kept = tryOnce(queue, request).orElseThrow();
			assertThat(kept.keep(REST).get(10, TimeUnit.SECONDS)).isTrue();
			this.store.holders.remove(request.id());
			LockGrant next = tryOnce(queue, request).orElseThrow();
			assertThat(next.fencingToken()).isGreaterThan(kept.fencingToken());
			kept.release().get(10, TimeUnit.SECONDS);
			assertThat(next.state()).isEqualTo(LockState.VALID);
			assertThat(next.release().get(10, TimeUnit.SECONDS)).isEqualTo(LockState.RELEASED);
		}
	}

	@Test
	void waitBegunBeforeAnotherInstanceHasFreedTheLockLearnsOfIt() throws Exception {
		LockRequest request = LockRequest.exclusive("stock").withWaitTime(REST);
		try (QueueingLockProvider queue = new QueueingLockProvider(this.provider, QueueSettings.defaults())) {
			LockGrant kept = tryOnce(queue, request).orElseThrow();
			assertThat(kept.keep(REST).get(10, TimeUnit.SECONDS)).isTrue();
			LockAttempt waiting = queue.attempt(request, LockCaller.current());
			await().until(() -> waiting.phase() == LockAttempt.Phase.QUEUED && waiting.isToldOfOthers());
			this.store.holders.remove(request.id());
			this.store.tell(request.id());
			LockGrant next = waiting.outcome().get(10, TimeUnit.SECONDS).orElseThrow();
			kept.release().get(10, TimeUnit.SECONDS);
			assertThat(next.release().get(10, TimeUnit.SECONDS)).isEqualTo(LockState.RELEASED);
		}
	}

	@Test
	void waitForAKeptLockOfASilentStoreIsNoContention() throws Exception {
		LockRequest request = LockRequest.exclusive("stock").withWaitTime(REST);
		try (QueueingLockProvider queue = new QueueingLockProvider(this.provider, QueueSettings.defaults())) {
			LockGrant kept = tryOnce(queue, request).orElseThrow();
			assertThat(kept.keep(REST).get(10, TimeUnit.SECONDS)).isTrue();
			this.store.failure = LeaseStoreException.passing("the test is silent", null);
			LockAttempt waiting = queue.attempt(request, LockCaller.current());
			await().until(() -> waiting.obstacle() != null);
			assertThat(waiting.phase()).isEqualTo(LockAttempt.Phase.CONNECTING);
			waiting.abandon();
			this.store.failure = null;
			assertThat(kept.release().get(10, TimeUnit.SECONDS)).isEqualTo(LockState.RELEASED);
		}
	}

	private static Optional<LockGrant> tryOnce(LockProvider provider, LockRequest request) throws Exception {
		return provider.attempt(request, LockCaller.current()).outcome().get(10, TimeUnit.SECONDS);
	}

	@Test
	void storeThatDoesNotAnswerEndsNoKeptHold() throws Exception {
		LockGrant kept = kept("stock");
		this.store.failure = LeaseStoreException.passing("the test is silent", null);
		pass(LEASE.multipliedBy(5));
		assertThat(kept.state()).isEqualTo(LockState.VALID);
		assertThat(this.news).isEmpty();
	}

	@Test
	void nothingIsAskedForWithoutKeptHolds() throws Exception {
		kept("stock").release().get(10, TimeUnit.SECONDS);
		int questions = this.store.questions.get();
		pass(LEASE.multipliedBy(5));
		assertThat(this.store.questions).hasValue(questions);
	}

	@Test
	void keptHoldWhoseTimeIsOverByTheClockOfTheStoreIsNotLost() throws Exception {
		LockGrant kept = kept("stock");
		pass(REST.dividedBy(10).multipliedBy(9));
		this.store.holders.clear();
		pass(LEASE);
		assertThat(this.news).isEmpty();
		assertThat(kept.release().get(10, TimeUnit.SECONDS)).isEqualTo(LockState.RELEASED);
	}

}
