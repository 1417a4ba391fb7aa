package io.interlock.template;

import java.time.Duration;
import java.util.List;

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
	void allHandlesOfTheHoldLeaveTheThread() {
		LockHandle outer = this.template.acquire(REQUEST);
		LockHandle other = this.template.acquire(LockRequest.exclusive("stock"));
		LockHandle inner = this.template.acquire(REQUEST).detach();
		assertThat(LockContext.held()).containsExactly(other);
		outer.close();
		assertThat(inner.isValid()).isTrue();
		inner.close();
		other.close();
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
