package io.interlock.metrics;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.metrics.LockSnapshots.Kind;
import io.interlock.template.LockSnapshot;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockSnapshots}.
 */
class LockSnapshotsTests {

	private static final Kind ORDERS = new Kind("orders", null, LockMode.EXCLUSIVE);

	private static final Kind STOCK = new Kind("stock", null, LockMode.EXCLUSIVE);

	private final List<LockSnapshot> held = new ArrayList<>();

	private final AtomicLong nanoTime = new AtomicLong();

	private int taken;

	private final LockSnapshots snapshots = new LockSnapshots(() -> {
		this.taken++;
		return this.held;
	}, List::of, this.nanoTime::get);

	@Test
	void gaugesOfAScrapeShareASnapshot() {
		for (int scrapes = 1; scrapes <= 3; scrapes++) {
			readAll();
			assertThat(this.taken).isEqualTo(scrapes);
		}
	}

	@Test
	void gaugeThatIsReadAgainSeesWhatIsHeldNow() {
		assertThat(this.snapshots.oldestHold(ORDERS)).isZero();
		this.held.add(new LockSnapshot(new LockId("orders", "7"), LockMode.EXCLUSIVE, 1L, true, 0, "holder",
				Instant.now().minus(Duration.ofHours(1)), List.of(), null, null, null));
		assertThat(this.snapshots.oldestHold(ORDERS)).isGreaterThanOrEqualTo(3_600_000);
		assertThat(this.snapshots.oldestHold(STOCK)).isZero();
	}

	@Test
	void snapshotIsNoOlderThanASecond() {
		this.snapshots.oldestHold(ORDERS);
		this.nanoTime.addAndGet(Duration.ofSeconds(1).toNanos());
		this.snapshots.oldestWait(ORDERS);
		assertThat(this.taken).isEqualTo(1);
		this.nanoTime.addAndGet(1);
		this.snapshots.waitRatio(ORDERS);
		assertThat(this.taken).isEqualTo(2);
	}

	private void readAll() {
		for (Kind kind : List.of(ORDERS, STOCK)) {
			this.snapshots.oldestHold(kind);
			this.snapshots.oldestWait(kind);
			this.snapshots.waitRatio(kind);
		}
	}

}
