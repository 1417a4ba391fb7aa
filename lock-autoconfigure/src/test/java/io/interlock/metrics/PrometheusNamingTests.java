package io.interlock.metrics;

import java.time.Duration;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.template.HeldLocks;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for the names that the meters of {@link MicrometerLockListener} have in
 * Prometheus, where all series of one name must have the same tags.
 */
class PrometheusNamingTests {

	@Test
	void scrapesEveryMeter() {
		PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
		MicrometerLockListener listener = new MicrometerLockListener(registry, new HeldLocks());
		LockRequest request = LockRequest.exclusive("orders").withKey(42);
		LockHandle handle = mock(LockHandle.class);
		given(handle.id()).willReturn(new LockId("orders", "42"));
		given(handle.mode()).willReturn(LockMode.EXCLUSIVE);
		listener.onWaiting(request);
		listener.onAcquired(request, handle, Duration.ofMillis(250));
		listener.onWaiting(request);
		listener.onNotAcquired(request, Duration.ofSeconds(2));
		listener.onLost(handle);
		listener.onReleased(handle, Duration.ofSeconds(3));
		assertThat(registry.scrape().lines()).contains(
				"interlock_acquire_seconds_count{contended=\"false\",mode=\"exclusive\",name=\"orders\",outcome=\"acquired\"} 1",
				"interlock_acquire_seconds_sum{contended=\"false\",mode=\"exclusive\",name=\"orders\",outcome=\"acquired\"} 0.25",
				"interlock_acquire_seconds_count{contended=\"true\",mode=\"exclusive\",name=\"orders\",outcome=\"not_acquired\"} 1",
				"interlock_hold_seconds_sum{mode=\"exclusive\",name=\"orders\"} 3.0",
				"interlock_held_locks{mode=\"exclusive\",name=\"orders\"} 0.0",
				"interlock_waiting_threads{mode=\"exclusive\",name=\"orders\"} 0.0",
				"interlock_lost_locks_total{mode=\"exclusive\",name=\"orders\"} 1.0",
				"interlock_handoffs_locks_total{mode=\"exclusive\",name=\"orders\"} 0.0",
				"interlock_oldest_hold_seconds{mode=\"exclusive\",name=\"orders\"} 0.0",
				"interlock_oldest_wait_seconds{mode=\"exclusive\",name=\"orders\"} 0.0",
				"interlock_wait_ratio{mode=\"exclusive\",name=\"orders\"} 0.0",
				"interlock_overdue_locks_total{mode=\"exclusive\",name=\"orders\"} 0.0");
	}

}
