package io.interlock.logging;

import java.time.Duration;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link MdcLockListener}.
 */
class MdcLockListenerTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("orders");

	private final MdcLockListener listener = new MdcLockListener();

	@AfterEach
	void clear() {
		MDC.clear();
	}

	@Test
	void showsWhatIsHeldUntilItIsReleased() {
		LockHandle handle = acquire("orders", "42", 17);
		assertThat(MDC.getCopyOfContextMap()).containsEntry("lock.name", "orders")
			.containsEntry("lock.key", "42")
			.containsEntry("lock.token", "17");
		this.listener.onReleased(handle, Duration.ZERO);
		assertThatNothingIsShown();
	}

	@Test
	void showsTheInnermostLock() {
		LockHandle outer = acquire("orders", "42", 17);
		LockHandle inner = acquire("stock", null, 18);
		assertThat(MDC.get("lock.name")).isEqualTo("stock");
		assertThat(MDC.get("lock.key")).isNull();
		this.listener.onReleased(inner, Duration.ZERO);
		assertThat(MDC.get("lock.name")).isEqualTo("orders");
		this.listener.onReleased(outer, Duration.ZERO);
		assertThatNothingIsShown();
	}

	@Test
	void showsTheRestWhenTheOuterLockIsReleasedFirst() {
		LockHandle outer = acquire("orders", "42", 17);
		LockHandle inner = acquire("stock", null, 18);
		this.listener.onReleased(outer, Duration.ZERO);
		assertThat(MDC.get("lock.name")).isEqualTo("stock");
		this.listener.onReleased(inner, Duration.ZERO);
		assertThatNothingIsShown();
	}

	@Test
	void forgetsWhatAnotherThreadReleased() throws InterruptedException {
		LockHandle handle = acquire("orders", "42", 17);
		Thread other = new Thread(() -> this.listener.onReleased(handle, Duration.ZERO));
		other.start();
		other.join();
		this.listener.onWaiting(REQUEST);
		assertThatNothingIsShown();
	}

	@Test
	void showsNothingOfALockThatIsKept() {
		LockHandle handle = acquire("orders", "42", 17);
		this.listener.onKept(handle, Duration.ZERO);
		assertThatNothingIsShown();
		this.listener.onReleased(handle, Duration.ZERO);
		assertThatNothingIsShown();
	}

	@Test
	void leavesOtherEntriesAlone() {
		MDC.put("traceId", "abc");
		this.listener.onReleased(acquire("orders", "42", 17), Duration.ZERO);
		assertThat(MDC.get("traceId")).isEqualTo("abc");
	}

	private LockHandle acquire(String name, String key, long token) {
		LockHandle handle = mock(LockHandle.class);
		given(handle.id()).willReturn(new LockId(name, key));
		given(handle.fencingToken()).willReturn(token);
		this.listener.onWaiting(REQUEST);
		this.listener.onAcquired(REQUEST, handle, Duration.ZERO);
		return handle;
	}

	private static void assertThatNothingIsShown() {
		assertThat(MDC.get("lock.name")).isNull();
		assertThat(MDC.get("lock.key")).isNull();
		assertThat(MDC.get("lock.token")).isNull();
	}

}
