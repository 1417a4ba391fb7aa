package io.interlock.curator;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.interlock.LockId;
import io.interlock.LockMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;

/**
 * Tests for a loss that is found out just before a hold ends.
 */
class LossAtTheEndTests {

	private final ScheduledExecutorService slow = Executors.newScheduledThreadPool(1);

	@AfterEach
	void stop() {
		this.slow.shutdownNow();
	}

	@Test
	void closeReturnsAfterTheLossWasTold() {
		CuratorLockHandle handle = handle();
		AtomicBoolean told = new AtomicBoolean();
		handle.onLoss(() -> told.set(true));
		handle.lose();
		assertThat(told).isFalse();
		handle.close();
		assertThat(told).isTrue();
	}

	@Test
	void closeDoesNotWaitForAnActionForEver() throws Exception {
		CuratorLockHandle handle = handle();
		CountDownLatch closed = new CountDownLatch(1);
		handle.onLoss(() -> {
			try {
				closed.await(10, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		});
		handle.lose();
		long startedAt = System.nanoTime();
		handle.close();
		closed.countDown();
		assertThat(Duration.ofNanos(System.nanoTime() - startedAt)).isLessThan(Duration.ofSeconds(2));
	}

	private CuratorLockHandle handle() {
		ContenderThreads threads = mock(ContenderThreads.class);
		willAnswer((call) -> this.slow.schedule((Runnable) call.getArgument(0), 200, TimeUnit.MILLISECONDS))
			.given(threads)
			.execute(any());
		Releases releases = mock(Releases.class);
		given(releases.delete(any())).willReturn(new CompletableFuture<>());
		HoldServices services = new HoldServices(mock(SessionMonitor.class), mock(LeaseKeeper.class), releases,
				mock(Verification.class), threads, mock(ParentReaper.class), new SequenceHeadroom(),
				Duration.ofSeconds(1));
		SessionLease lease = new SessionLease(1, Duration.ofSeconds(2), System.nanoTime());
		return new CuratorLockHandle(new LockId("orders", null), LockMode.EXCLUSIVE, false,
				new LockNode("/interlock/orders/n", 1, 1, 0), lease, services);
	}

}
