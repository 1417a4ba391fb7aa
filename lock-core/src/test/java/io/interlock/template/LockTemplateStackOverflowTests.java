package io.interlock.template;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for bodies that overflow the stack far above the call that acquired their lock.
 */
@Timeout(60)
class LockTemplateStackOverflowTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("orders");

	private static final List<LockRequest> SEVERAL = List.of(REQUEST, REQUEST.withKey("a"), REQUEST.withKey("b"));

	private final ScriptedLockProvider provider = new ScriptedLockProvider();

	private final HeldLocks heldLocks = new HeldLocks();

	private final LockTemplate template = new LockTemplate(this.provider, LockSettings.defaults(), this.heldLocks,
			List.of());

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(Leftovers.takeHandles()).isEmpty();
		assertThat(this.provider.attempts()).isNotEmpty();
		assertThat(this.provider.openGrants()).isZero();
		assertThat(this.heldLocks.held()).isEmpty();
		assertThat(this.heldLocks.waiting()).isEmpty();
	}

	@Test
	@Proves(value = Promise.NOTHING_IS_LEFT_BEHIND, under = Fault.A_BODY_OVERFLOWS_THE_STACK)
	void lockOfABodyIsReleased() {
		assertOverflows(() -> this.template.execute(REQUEST, (lock) -> recurse(0)));
	}

	@Test
	void lockOfATriedBodyIsReleased() {
		assertOverflows(() -> this.template.tryExecute(REQUEST, (lock) -> recurse(0)));
	}

	@Test
	void joinedBodyLeavesTheHoldToTheOuterOne() {
		this.template.executeWithoutResult(REQUEST, (outer) -> {
			assertOverflows(() -> this.template.execute(REQUEST, (inner) -> recurse(0)));
			assertThat(outer.isValid()).isTrue();
			assertThat(LockContext.held()).containsExactly(outer);
		});
	}

	@Test
	void locksOfABodyUnderSeveralAreReleased() {
		assertOverflows(() -> this.template.executeAll(SEVERAL, (locks) -> recurse(0)));
	}

	@Test
	void handleIsClosedByItsCaller() {
		assertOverflows(() -> {
			try (LockHandle lock = this.template.acquire(REQUEST)) {
				assertThat(lock.isValid()).isTrue();
				recurse(0);
			}
		});
	}

	@Test
	void lockIsUnlockedByItsCaller() {
		Lock lock = this.template.asLock(REQUEST);
		assertOverflows(() -> {
			lock.lock();
			try {
				recurse(0);
			}
			finally {
				lock.unlock();
			}
		});
	}

	@Test
	void lockOfAnAsynchronousActionIsReleased() {
		CompletableFuture<Integer> result = this.template.executeAsync(REQUEST,
				(lock) -> CompletableFuture.completedFuture(recurse(0)));
		Awaitility.await().until(result::isDone);
		assertOverflows(() -> {
			try {
				result.join();
			}
			catch (RuntimeException ex) {
				throw ex.getCause();
			}
		});
	}

	private static void assertOverflows(ThrowingCallable call) {
		assertThatExceptionOfType(StackOverflowError.class).isThrownBy(call);
	}

	private static int recurse(int depth) {
		return (depth < 0) ? depth : recurse(depth + 1) + 1;
	}

}
