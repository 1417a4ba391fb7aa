package io.interlock.lease;

import java.time.Duration;
import java.time.Instant;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.admin.LockInspectionBusyException;
import io.interlock.admin.LockInspectionException;
import io.interlock.admin.LockInspector.Query;
import io.interlock.testsupport.time.MovedTime;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LeaseOperators}.
 */
class LeaseOperatorsTests {

	private static final Query ALL = new Query(null, null, 0, 100, 10);

	private static final String LESS = "sk for fewer locks";

	private final MovedTime time = new MovedTime();

	private final MapLeaseStore store = new MapLeaseStore();

	private final LeaseLockProvider provider = new LeaseLockProvider(this.store,
			new LeaseSettings("test", Duration.ofMinutes(1), Duration.ofMillis(20), Duration.ofSeconds(10), 2, false),
			new MovedLeaseTime(this.time));

	private final LeaseInspector inspector = new LeaseInspector(this.provider);

	@AfterEach
	void close() {
		this.store.failure = null;
		this.provider.close();
		this.time.close();
	}

	@Test
	void outageIsToldAndNoFewerLocksAreAskedFor() {
		this.store.failure = LeaseStoreException.passing("connection refused", null);
		assertThatExceptionOfType(LockInspectionException.class).isThrownBy(() -> this.inspector.locks(ALL))
			.withMessage(
					"The locks could not be reached: connection refused. The store is unavailable: requests for locks fail "
							+ "too")
			.isNotInstanceOf(LockInspectionBusyException.class);
		assertThatExceptionOfType(LockInspectionException.class)
			.isThrownBy(() -> this.inspector.lock(new LockId("stock", null)))
			.withMessageContaining("The store is unavailable");
	}

	@Test
	void holderHoldsSinceItsGrantUnlessTheClockOfTheStoreWasPutBack() {
		LockId id = new LockId("stock", null);
		this.store.readers.put("r",
				new LeaseContender("r", "a|2026-11-28T10:00:00.000Z||t", id, LockMode.SHARED, 1, false));
		this.store.leaseEnd = Instant.parse("2026-11-28T10:01:00Z");
		this.store.grantedAt = this.store.leaseEnd.minusSeconds(15);
		assertThat(holdsSince(id)).isEqualTo(this.store.grantedAt);
		this.store.grantedAt = this.store.leaseEnd.plusSeconds(1);
		assertThat(holdsSince(id)).isNull();
	}

	private @Nullable Instant holdsSince(LockId id) {
		return this.inspector.lock(id).orElseThrow().holders().get(0).since();
	}

	@Test
	void questionThatIsRefusedByAStoreThatAnswersMayBeSmaller() {
		this.store.beforeRead = () -> {
			throw LeaseStoreException.passing("it took too long", null);
		};
		assertThatExceptionOfType(LockInspectionBusyException.class).isThrownBy(() -> this.inspector.locks(ALL))
			.withMessageContaining("it took too long")
			.withMessageContaining(LESS);
		assertThatExceptionOfType(LockInspectionException.class)
			.isThrownBy(() -> this.inspector.lock(new LockId("stock", null)))
			.withMessage("The locks could not be reached: it took too long. Try again");
	}

}
