package io.interlock.lease;

import java.time.Duration;

import io.interlock.LockId;
import io.interlock.admin.LockInspectionBusyException;
import io.interlock.admin.LockInspectionException;
import io.interlock.admin.LockInspector.Query;
import io.interlock.testsupport.time.MovedTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

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
					"The locks could not be reached: connection refused. The store is unavailable: see the health of this "
							+ "instance")
			.isNotInstanceOf(LockInspectionBusyException.class);
		assertThatExceptionOfType(LockInspectionException.class)
			.isThrownBy(() -> this.inspector.lock(new LockId("stock", null)))
			.withMessageContaining("The store is unavailable");
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
