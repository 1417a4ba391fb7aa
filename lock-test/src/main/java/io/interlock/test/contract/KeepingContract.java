package io.interlock.test.contract;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What a provider owes for locks that are kept for a time without a holder.
 */
abstract class KeepingContract extends SharingContract {

	private LockGrant keep(LockProvider instance, LockRequest request, Duration rest) throws Exception {
		assumeTrue(instance.capabilities().outlivesInstance(), "The provider keeps no lock without a holder");
		LockGrant grant = acquire(instance, request.withMinHold(rest));
		assertThat(grant.keep(rest).get(patience().toMillis(), TimeUnit.MILLISECONDS)).isTrue();
		assertThat(grant.state()).isEqualTo(LockState.VALID);
		return grant;
	}

	private boolean isGranted(LockProvider instance, LockRequest request) throws Exception {
		return answer(begin(instance, once(request))).map((grant) -> grant.release().join()).isPresent();
	}

	@Test
	void keptLockStaysTakenAfterItsInstanceHasStopped() throws Exception {
		LockProvider instance = startInstance();
		LockProvider other = instance();
		Duration rest = lease().multipliedBy(2);
		LockGrant kept = keep(instance, exclusive(), rest);
		if (instance instanceof AutoCloseable closeable) {
			closeable.close();
		}
		passTime(rest.multipliedBy(3).dividedBy(4));
		assertThat(isGranted(other, exclusive())).isFalse();
		passTimeUntil(() -> isGranted(other, exclusive()));
		LockGrant next = acquire(other, exclusive());
		assertThat(next.fencingToken()).isGreaterThan(kept.fencingToken());
		release(next);
		awaitNothingLeft();
	}

	@Test
	void keptLockStaysTakenAlthoughItsInstanceIsCutOff() throws Exception {
		LockProvider instance = instance();
		LockProvider other = instance();
		Duration rest = lease().multipliedBy(2);
		keep(instance, exclusive(), rest);
		assumeTrue(cutOff(instance), "The test cannot cut an instance off");
		passTime(rest.multipliedBy(3).dividedBy(4));
		assertThat(isGranted(other, exclusive())).isFalse();
		passTimeUntil(() -> isGranted(other, exclusive()));
	}

	@Test
	void keptLockIsFreedByItsInstance() throws Exception {
		LockProvider other = instance();
		LockGrant kept = keep(instance(), exclusive(), lease().multipliedBy(10));
		assertThat(isGranted(other, exclusive())).isFalse();
		release(kept);
		assertThat(isGranted(other, exclusive())).isTrue();
		awaitNothingLeft();
	}

	@Test
	void lockIsFreedWhileItBecomesKept() throws Exception {
		LockProvider instance = instance();
		LockProvider other = instance();
		assumeTrue(instance.capabilities().outlivesInstance(), "The provider keeps no lock without a holder");
		Duration rest = lease().multipliedBy(10);
		LockGrant grant = acquire(instance, exclusive().withMinHold(rest));
		grant.keep(rest);
		release(grant);
		assertThat(isGranted(other, exclusive())).isTrue();
		awaitNothingLeft();
	}

	@Test
	void keptReaderLetsReadersInAndKeepsWritersOut() throws Exception {
		LockProvider instance = instance();
		LockProvider other = instance();
		assumeTrue(instance.capabilities().shared(), "The provider has no shared locks");
		LockRequest shared = LockRequest.shared(lockName());
		LockGrant kept = keep(instance, shared, lease().multipliedBy(10));
		assertThat(isGranted(other, shared)).isTrue();
		assertThat(isGranted(other, exclusive())).isFalse();
		release(kept);
		assertThat(isGranted(other, exclusive())).isTrue();
		awaitNothingLeft();
	}

	@Test
	void keptPermitIsTaken() throws Exception {
		LockProvider instance = instance();
		LockProvider other = instance();
		assumeTrue(instance.capabilities().semaphore(), "The provider has no semaphores");
		LockRequest permit = LockRequest.semaphore(lockName(), 2);
		LockGrant kept = keep(instance, permit, lease().multipliedBy(10));
		LockGrant second = acquire(other, once(permit));
		assertThat(isGranted(other, permit)).isFalse();
		release(kept);
		assertThat(isGranted(other, permit)).isTrue();
		release(second);
		awaitNothingLeft();
	}

}
