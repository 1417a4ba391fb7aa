package io.interlock.test.contract;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSettings;
import io.interlock.template.LockTemplate;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The part of the contract for locks with several holders.
 */
abstract class SharingContract extends KeysContract {

	@Test
	void readersHoldTogetherAndKeepWritersOut() throws Exception {
		LockProvider instance = instance();
		LockProvider other = instance();
		assumeTrue(instance.capabilities().shared(), "The provider has no shared locks");
		LockRequest shared = LockRequest.shared(lockName());
		LockGrant reader = acquire(instance, shared);
		LockGrant otherReader = acquire(other, once(shared));
		assertThat(answer(begin(other, once(exclusive())))).isEmpty();
		LockAttempt writer = begin(instance, exclusive());
		awaitQueued(writer);
		release(reader);
		assertThat(writer.outcome()).isNotDone();
		release(otherReader);
		LockGrant written = answer(writer).orElseThrow();
		assertThat(answer(begin(other, once(shared)))).isEmpty();
		release(written);
		release(acquire(other, once(shared)));
		awaitNothingLeft();
	}

	@Test
	void readersDoNotPassWriterThatWaits() throws Exception {
		LockProvider instance = instance();
		assumeTrue(instance.capabilities().shared(), "The provider has no shared locks");
		assumeTrue(instance.capabilities().fairBetweenInstances(), "The provider is not fair between instances");
		LockGrant reader = acquire(instance, LockRequest.shared(lockName()));
		LockAttempt writer = begin(instance(), exclusive());
		awaitQueued(writer);
		LockAttempt late = begin(instance, LockRequest.shared(lockName()));
		awaitQueued(late);
		release(reader);
		LockGrant written = answer(writer).orElseThrow();
		assertThat(late.outcome()).isNotDone();
		release(written);
		release(answer(late).orElseThrow());
	}

	@Test
	void readerBehindWriterOfItsInstanceIsToldWhoHoldsTheLock() throws Exception {
		LockProvider instance = instance();
		assumeTrue(instance.capabilities().shared(), "The provider has no shared locks");
		HeldLocks heldLocks = new HeldLocks(new TimeUntilPhase(LockAttempt.Phase.QUEUED));
		LockTemplate template = new LockTemplate(new QueueingLockProvider(instance, QueueSettings.defaults()),
				LockSettings.defaults(), heldLocks, List.of());
		String here = "thread '" + Thread.currentThread().getName() + "' of this instance";
		String writer = ", and an asynchronous call of " + here + " asked first";
		LockHandle reader = template.acquire(LockRequest.shared(lockName()));
		CompletableFuture<LockHandle> waiting = template.acquireAsync(exclusive().withWaitTime(LockRequest.FOREVER));
		assertThat(refusalOfReader(template)).endsWith("it is held by " + here + writer);
		reader.close();
		answer(waiting).close();
		LockGrant other = acquire(instance(), exclusive());
		waiting = template.acquireAsync(exclusive().withWaitTime(LockRequest.FOREVER));
		assertThat(refusalOfReader(template)).endsWith("it is held by another instance" + writer);
		release(other);
		answer(waiting).close();
		awaitNothingLeft();
	}

	/** Another thread asks, because this one would join its own hold. */
	private String refusalOfReader(LockTemplate template) throws Exception {
		LockRequest request = LockRequest.shared(lockName()).withWaitTime(patience());
		return answer(CompletableFuture
			.supplyAsync(() -> String.valueOf(catchThrowable(() -> template.acquire(request)).getMessage())));
	}

	@Test
	void writerThatHasGivenUpHoldsUpNoReader() throws Exception {
		LockProvider instance = instance();
		assumeTrue(instance.capabilities().shared(), "The provider has no shared locks");
		givesUpBefore(LockRequest.shared(lockName()), instance);
	}

	@Test
	void exclusiveContenderThatHasGivenUpHoldsUpNoPermit() throws Exception {
		LockProvider instance = instance();
		assumeTrue(instance.capabilities().semaphore(), "The provider has no semaphores");
		givesUpBefore(LockRequest.semaphore(lockName(), 3), instance);
	}

	/**
	 * One holds. An exclusive contender of an instance that queues gives up, before
	 * another caller of its instance and one of a third instance.
	 */
	private void givesUpBefore(LockRequest request, LockProvider instance) throws Exception {
		LockProvider queueing = new QueueingLockProvider(instance(), QueueSettings.defaults());
		LockProvider other = instance();
		LockGrant held = acquire(instance, request);
		LockAttempt exclusive = begin(queueing, exclusive());
		awaitQueued(exclusive);
		LockAttempt behind = begin(queueing, request);
		LockAttempt behindInOther = begin(other, request);
		assertThat(behind.outcome()).isNotDone();
		exclusive.abandon();
		LockGrant second = answer(behind).orElseThrow();
		LockGrant third = answer(behindInOther).orElseThrow();
		release(third);
		release(second);
		release(held);
		awaitNothingLeft();
	}

	@Test
	void permitsAreLimited() throws Exception {
		LockProvider instance = instance();
		LockProvider other = instance();
		assumeTrue(instance.capabilities().semaphore(), "The provider has no semaphores");
		LockRequest permit = LockRequest.semaphore(lockName(), 2);
		LockGrant first = acquire(instance, permit);
		LockGrant second = acquire(other, once(permit));
		assertThat(answer(begin(other, once(permit)))).isEmpty();
		assertThat(answer(begin(other, once(exclusive())))).isEmpty();
		LockAttempt waiting = begin(instance, permit);
		awaitQueued(waiting);
		release(second);
		LockGrant third = answer(waiting).orElseThrow();
		assertThat(answer(begin(other, once(permit)))).isEmpty();
		release(first);
		release(third);
		release(acquire(other, once(exclusive())));
		awaitNothingLeft();
	}

	@Test
	void whatIsNotDeclaredIsRefused() throws Exception {
		LockProvider instance = instance();
		List<LockRequest> requests = List.of(LockRequest.shared(lockName()), LockRequest.semaphore(lockName(), 2));
		for (LockRequest request : requests) {
			if (!instance.capabilities().supports(request.mode())) {
				assertThatExceptionOfType(UnsupportedOperationException.class)
					.isThrownBy(() -> new LockTemplate(instance).acquire(request))
					.withMessageContaining(lockName());
			}
		}
	}

}
