package io.interlock.template;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LossPolicy;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for handles that move to another thread.
 */
@Timeout(30)
@ExtendWith(OutputCaptureExtension.class)
class LockTemplateDetachTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("orders").withKey(42);

	private static final String WARNING = "before a handle goes to another thread";

	private final ScriptedLockProvider provider = new ScriptedLockProvider();

	private final HeldLocks heldLocks = new HeldLocks();

	private final LockTemplate template = new LockTemplate(this.provider, LockSettings.defaults(), this.heldLocks,
			List.of());

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(Leftovers.takeHandles()).isEmpty();
		assertThat(Leftovers.takeInterrupt()).isFalse();
		assertThat(this.provider.openGrants()).isZero();
		assertThat(this.heldLocks.held()).isEmpty();
	}

	@Test
	@Proves(Promise.EXCLUSION)
	void threadThatPassedItsHandleOnDoesNotJoinTheHold() throws Exception {
		LockHandle handle = this.template.acquire(REQUEST).detach();
		try (LockHandle next = this.template.acquire(REQUEST)) {
			assertThat(next.fencingToken()).isNotEqualTo(handle.fencingToken());
		}
		assertThat(handle.isValid()).isTrue();
		Background.run(handle::close);
		assertThat(this.provider.attempts()).hasSize(2);
	}

	@Test
	void detachedHoldIsNotInTheContextOfItsThread() {
		LockHandle handle = this.template.acquire(REQUEST);
		assertThat(handle.detach()).isSameAs(handle);
		assertThat(LockContext.find(REQUEST.id())).isEmpty();
		assertThat(LockContext.held()).isEmpty();
		assertThatIllegalStateException().isThrownBy(LockContext::current);
		assertThat(this.heldLocks.held()).hasSize(1);
		handle.close();
	}

	@Test
	void onlyTheDetachedHandleLeavesTheThread() {
		LockHandle outer = this.template.acquire(REQUEST);
		LockHandle other = this.template.acquire(LockRequest.exclusive("stock"));
		LockHandle inner = this.template.acquire(REQUEST).detach();
		assertThat(inner.isDetached()).isTrue();
		assertThat(outer.isDetached()).isFalse();
		assertThat(LockContext.held()).containsExactly(other, outer);
		try (LockHandle joined = this.template.acquire(REQUEST)) {
			assertThat(joined.fencingToken()).isEqualTo(outer.fencingToken());
		}
		outer.close();
		assertThat(LockContext.held()).containsExactly(other);
		assertThat(inner.isValid()).isTrue();
		inner.close();
		other.close();
	}

	@Test
	void detachedHandleOutlivesTheBodyThatItWasAcquiredIn() {
		LockHandle passedOn = this.template.execute(REQUEST, (lock) -> {
			LockHandle inner = this.template.acquire(REQUEST).detach();
			assertThat(LockContext.current()).isSameAs(lock);
			assertThat(lock.isDetached()).isFalse();
			return inner;
		});
		assertThat(passedOn.isValid()).isTrue();
		assertThat(LockContext.held()).isEmpty();
		try (LockHandle next = this.template.acquire(REQUEST)) {
			assertThat(next.fencingToken()).isNotEqualTo(passedOn.fencingToken());
		}
		passedOn.close();
	}

	@Test
	void handleOfACallbackCannotBeDetached() {
		this.template.executeWithoutResult(REQUEST, (lock) -> {
			assertThatIllegalStateException().isThrownBy(lock::detach)
				.withMessageStartingWith("Lock orders[42] cannot be detached here")
				.withMessageContaining("LockOperations.acquire");
			assertThatIllegalStateException().isThrownBy(() -> LockContext.current().detach());
			assertThat(LockContext.current()).isSameAs(lock);
			assertThat(lock.isDetached()).isFalse();
			assertThat(lock.isValid()).isTrue();
		});
	}

	@Test
	void handlesOfACallbackForSeveralLocksCannotBeDetached() {
		this.template.executeAll(List.of(REQUEST, LockRequest.exclusive("stock")), (locks) -> {
			assertThat(locks.handles())
				.allSatisfy((lock) -> assertThatIllegalStateException().isThrownBy(lock::detach));
			return LockContext.held();
		});
	}

	@Test
	void handleOfAsynchronousWorkCannotBeDetached() {
		assertThat(this.template.executeAsync(REQUEST, (lock) -> {
			assertThatIllegalStateException().isThrownBy(lock::detach);
			return CompletableFuture.completedFuture(lock.isDetached());
		})).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
	}

	@Test
	void handleOfALockObjectCannotBeDetached() {
		Lock lock = this.template.asLock(REQUEST);
		lock.lock();
		assertThatIllegalStateException().isThrownBy(() -> LockContext.current().detach());
		lock.unlock();
	}

	@Test
	void handleThatWasAcquiredAsynchronouslyIsDetachedAlready() {
		LockHandle handle = this.template.acquireAsync(REQUEST).join();
		assertThat(handle.detach()).isSameAs(handle);
		assertThat(handle.isDetached()).isTrue();
		handle.close();
		LockHandle tried = this.template.tryAcquireAsync(REQUEST).join().orElseThrow();
		assertThat(tried.detach()).isSameAs(tried);
		tried.close();
	}

	@Test
	void oneOfSeveralHandlesIsDetachedAlone() throws Exception {
		LockRequest stock = LockRequest.exclusive("stock");
		LockHandles locks = this.template.acquireAll(List.of(REQUEST, stock));
		LockHandle moved = locks.handle(stock.id()).detach();
		assertThat(LockContext.held()).containsExactly(locks.handle(REQUEST.id()));
		Background.run(moved::close);
		assertThat(locks.handle(REQUEST.id()).isValid()).isTrue();
		locks.close();
	}

	@Test
	void handleThatATransactionKeepsStaysWhileItsThreadHasAnother() {
		TransactionSynchronizationManager.initSynchronization();
		TransactionSynchronizationManager.setActualTransactionActive(true);
		try {
			LockHandle outer = this.template.acquire(REQUEST);
			LockHandle passedOn = this.template.acquire(REQUEST).detach();
			outer.close();
			assertThat(LockContext.held()).singleElement()
				.satisfies((kept) -> assertThatIllegalStateException().isThrownBy(kept::detach));
			TransactionSynchronizationManager.getSynchronizations()
				.forEach((kept) -> kept.afterCompletion(TransactionSynchronization.STATUS_COMMITTED));
			assertThat(LockContext.held()).isEmpty();
			assertThat(passedOn.isValid()).isTrue();
			passedOn.close();
		}
		finally {
			TransactionSynchronizationManager.clear();
		}
	}

	@Test
	void threadThatHasClosedItsLastHandleHoldsNothingWhileTheOtherIsHeld(CapturedOutput output) throws Exception {
		AtomicReference<Thread> thread = new AtomicReference<>();
		LockHandle passedOn = Background.call(() -> {
			thread.set(Thread.currentThread());
			LockHandle first = this.template.acquire(REQUEST);
			LockHandle second = this.template.acquire(REQUEST).detach();
			first.close();
			return second;
		});
		await().until(() -> !thread.get().isAlive());
		this.heldLocks.lookForLeaks();
		assertThat(output).doesNotContain("has ended without releasing it");
		assertThat(this.heldLocks.awaitReleased(Duration.ZERO)).isFalse();
		assertThat(passedOn.isLost()).isFalse();
		passedOn.close();
	}

	@Test
	void threadThatKeepsAHandleOfADetachedHoldIsStillInACircle() throws Exception {
		LockRequest stock = LockRequest.exclusive("stock");
		LockHandle kept = this.template.acquire(REQUEST);
		LockHandle passedOn = this.template.acquire(REQUEST).detach();
		Background<Boolean> other = Background.start(() -> {
			try (LockHandle mine = this.template.acquire(stock)) {
				this.provider.answersNothing();
				assertThatExceptionOfType(LockException.class)
					.isThrownBy(() -> this.template.acquire(REQUEST.withWaitTime(LockRequest.FOREVER)))
					.withMessageContaining("shutting down");
				return mine.isValid();
			}
		});
		await().until(() -> this.heldLocks.waiting().size() == 1);
		assertThatExceptionOfType(LockException.class)
			.isThrownBy(() -> this.template.acquire(stock.withWaitTime(Duration.ofSeconds(10))))
			.withMessageContaining("would never end");
		this.heldLocks.stop();
		assertThat(other.join()).isTrue();
		passedOn.close();
		kept.close();
	}

	@Test
	void holdThatIsKeptForATransactionLeavesTheThreadToo() {
		TransactionSynchronizationManager.initSynchronization();
		TransactionSynchronizationManager.setActualTransactionActive(true);
		try {
			LockHandle handle = this.template.acquire(REQUEST).detach();
			assertThat(LockContext.held()).isEmpty();
			handle.close();
			assertThat(this.provider.openGrants()).isEqualTo(1);
			TransactionSynchronizationManager.getSynchronizations()
				.forEach((kept) -> kept.afterCompletion(TransactionSynchronization.STATUS_COMMITTED));
		}
		finally {
			TransactionSynchronizationManager.clear();
		}
	}

	@Test
	void threadWithADetachedHoldIsInNoCircle() throws Exception {
		LockRequest stock = LockRequest.exclusive("stock");
		LockHandle detached = this.template.acquire(REQUEST).detach();
		LockHandle held = this.template.acquire(LockRequest.exclusive("held"));
		Background<Boolean> other = Background.start(() -> {
			try (LockHandle mine = this.template.acquire(stock)) {
				this.provider.answersNothing();
				assertThatExceptionOfType(LockException.class)
					.isThrownBy(() -> this.template.acquire(REQUEST.withWaitTime(LockRequest.FOREVER)))
					.withMessageContaining("shutting down");
				return mine.isValid();
			}
		});
		await().until(() -> this.heldLocks.waiting().stream().anyMatch((wait) -> wait.id().equals(REQUEST.id())));
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.template.acquire(stock.withWaitTime(Duration.ofMillis(20))));
		this.heldLocks.stop();
		assertThat(other.join()).isTrue();
		held.close();
		detached.close();
	}

	@Test
	void threadThatPassedItsHandleOnIsNotInterrupted() {
		LockHandle handle = this.template.acquire(REQUEST.withOnLoss(LossPolicy.INTERRUPT)).detach();
		this.provider.onlyGrant().lose();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		handle.close();
	}

	@Test
	void closeByAnotherThreadIsSaidOnce(CapturedOutput output) throws Exception {
		for (int round = 0; round < 3; round++) {
			LockHandle handle = this.template.acquire(REQUEST.withKey(round));
			Background.run(handle::close);
		}
		assertThat(output.toString().split(WARNING, -1)).hasSize(2);
		assertThat(output).contains("Lock orders[0]", "'" + Thread.currentThread().getName() + "'", "'background'");
	}

	@Test
	void closeByAnotherThreadIsSaidAlsoIfAnotherHandleIsDetached(CapturedOutput output) throws Exception {
		LockHandle first = this.template.acquire(REQUEST);
		LockHandle second = this.template.acquire(REQUEST).detach();
		Background.run(first::close);
		assertThat(output).contains(WARNING);
		second.close();
	}

	@Test
	void closeOfADetachedHandleByAnotherThreadIsNoNews(CapturedOutput output) throws Exception {
		LockHandle handle = this.template.acquire(REQUEST).detach();
		Background.run(handle::close);
		assertThat(output).doesNotContain(WARNING);
	}

	@Test
	void closedHandleCannotBeDetached() {
		LockHandle outer = this.template.acquire(REQUEST);
		LockHandle inner = this.template.acquire(REQUEST);
		inner.close();
		assertThat(inner.detach()).isSameAs(inner);
		assertThat(LockContext.current()).isSameAs(outer);
		outer.close();
	}

	@Test
	void detachedHandleMayBeDetachedAgainByItsNewThread() throws Exception {
		LockHandle handle = this.template.acquire(REQUEST).detach();
		Background.run(() -> handle.detach().close());
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

}
