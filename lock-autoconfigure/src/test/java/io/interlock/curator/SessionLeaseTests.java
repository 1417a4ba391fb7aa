package io.interlock.curator;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SessionLease}, from several origins of {@link System#nanoTime()}: it
 * may start anywhere and overflow.
 */
class SessionLeaseTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(6);

	@ParameterizedTest
	@ValueSource(longs = { 0, -1, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE - 1_000_000_000 })
	void newLeaseIsNotGoodAndDueAtOnce(long origin) {
		SessionLease lease = new SessionLease(7, TIMEOUT, origin);
		assertThat(lease.sessionId()).isEqualTo(7);
		assertThat(lease.timeout()).isEqualTo(TIMEOUT);
		assertThat(lease.isGood(origin)).isFalse();
		assertThat(lease.isFresh(origin)).isFalse();
		assertThat(lease.isDue(origin)).isTrue();
		assertThat(lease.isOver(origin)).isTrue();
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, -1, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE - 1_000_000_000 })
	void answeredLeaseAgesFromWhenTheRequestWasSent(long origin) {
		SessionLease lease = new SessionLease(7, TIMEOUT, origin);
		lease.answered(origin);
		assertThat(lease.isGood(origin + millis(3999))).isTrue();
		assertThat(lease.isGood(origin + millis(4000))).isFalse();
		assertThat(lease.isFresh(origin + millis(1999))).isTrue();
		assertThat(lease.isFresh(origin + millis(2000))).isFalse();
		assertThat(lease.isDue(origin + millis(999))).isFalse();
		assertThat(lease.isDue(origin + millis(1000))).isTrue();
		assertThat(lease.isOver(origin + millis(5399))).isFalse();
		assertThat(lease.isOver(origin + millis(5400))).isTrue();
		assertThat(lease.beatNanos()).isEqualTo(millis(1000));
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, -1, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE - 1_000_000_000 })
	void answersOutOfOrderNeverTakeTheLeaseBack(long origin) {
		SessionLease lease = new SessionLease(7, TIMEOUT, origin);
		lease.answered(origin + millis(2000));
		lease.answered(origin + millis(1000));
		lease.answered(origin);
		assertThat(lease.isGood(origin + millis(5999))).isTrue();
		assertThat(lease.isGood(origin + millis(6000))).isFalse();
	}

	private static long millis(long millis) {
		return TimeUnit.MILLISECONDS.toNanos(millis);
	}

}
