package io.interlock.lease;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the time of the system.
 */
class LeaseTimeTests {

	@Test
	void threadsHaveTwoNamesAndANumberOfTheirOwn() {
		LeaseTime time = LeaseTime.system();
		ExecutorService timer = time.thread();
		ExecutorService workers = time.threads(1);
		ExecutorService others = time.threads(1);
		try {
			assertThat(name(timer)).matches("interlock-timer-\\d+");
			assertThat(name(workers)).isEqualTo("interlock-worker-1");
			assertThat(name(others)).isEqualTo("interlock-worker-2");
		}
		finally {
			time.close();
			timer.shutdown();
			workers.shutdown();
			others.shutdown();
		}
	}

	private static String name(ExecutorService threads) {
		return CompletableFuture.supplyAsync(() -> Thread.currentThread().getName(), threads).join();
	}

}
