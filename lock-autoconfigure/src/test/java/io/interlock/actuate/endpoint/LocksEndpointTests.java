package io.interlock.actuate.endpoint;

import java.time.Instant;
import java.util.List;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.actuate.endpoint.LocksEndpoint.CountsDescriptor;
import io.interlock.actuate.endpoint.LocksEndpoint.HeldLockDescriptor;
import io.interlock.actuate.endpoint.LocksEndpoint.LocksDescriptor;
import io.interlock.actuate.endpoint.LocksEndpoint.WaitingLockDescriptor;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSnapshot;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LocksEndpoint}.
 */
class LocksEndpointTests {

	private static final Instant SINCE = Instant.parse("2026-01-02T03:04:05Z");

	private static final LockId ORDERS = new LockId("orders", "42");

	private static final LockId REPORT = new LockId("report", null);

	private final HeldLocks locks = mock(HeldLocks.class);

	private final LocksEndpoint endpoint = new LocksEndpoint(this.locks);

	@BeforeEach
	void holdAndWait() {
		given(this.locks.held())
			.willReturn(List.of(new LockSnapshot(ORDERS, LockMode.EXCLUSIVE, 7L, true, 3, "main", SINCE, List.of()),
					new LockSnapshot(REPORT, LockMode.SHARED, 8L, false, 0, "worker", SINCE, List.of())));
		given(this.locks.waiting()).willReturn(
				List.of(new LockSnapshot(ORDERS, LockMode.SHARED, null, false, null, "worker", SINCE, List.of())));
	}

	@Test
	@SuppressWarnings("NullAway")
	void createWithoutLocksFails() {
		assertThatIllegalArgumentException().isThrownBy(() -> new LocksEndpoint(null))
			.withMessage("'locks' must not be null");
	}

	@Test
	void showsWhatIsHeld() {
		assertThat(this.endpoint.locks(null, null, null).held()).containsExactly(
				new HeldLockDescriptor("orders", "42", LockMode.EXCLUSIVE, 7L, true, 3, "main", SINCE, null),
				new HeldLockDescriptor("report", null, LockMode.SHARED, 8L, false, 0, "worker", SINCE, null));
	}

	@Test
	void showsWhatIsWaitedFor() {
		assertThat(this.endpoint.locks(null, null, null).waiting())
			.containsExactly(new WaitingLockDescriptor("orders", "42", LockMode.SHARED, "worker", SINCE));
	}

	@Test
	void counts() {
		assertThat(this.endpoint.locks(null, null, null).counts()).isEqualTo(new CountsDescriptor(2, 1));
	}

	@Test
	void showsTheLocksOfOneName() {
		LocksDescriptor locks = this.endpoint.locks("report", null, null);
		assertThat(locks.counts()).isEqualTo(new CountsDescriptor(1, 0));
		assertThat(locks.held()).extracting(HeldLockDescriptor::name).containsExactly("report");
		assertThat(locks.waiting()).isEmpty();
	}

	@Test
	void showsNothingForANameThatIsNotInUse() {
		assertThat(this.endpoint.locks("unknown", null, null))
			.isEqualTo(new LocksDescriptor(new CountsDescriptor(0, 0), 500, List.of(), List.of()));
	}

	@Test
	void showsStacksOnRequest() {
		StackTraceElement frame = new StackTraceElement("com.example.Orders", "ship", "Orders.java", 42);
		given(this.locks.heldWithStacks()).willReturn(
				List.of(new LockSnapshot(ORDERS, LockMode.EXCLUSIVE, 7L, true, 3, "main", SINCE, List.of(frame))));
		assertThat(this.endpoint.locks(null, true, null).held()).extracting(HeldLockDescriptor::stack)
			.containsExactly(List.of("com.example.Orders.ship(Orders.java:42)"));
	}

	@Test
	void showsNoStacksUnlessAsked() {
		assertThat(this.endpoint.locks(null, false, null).held()).extracting(HeldLockDescriptor::stack)
			.containsOnlyNulls();
	}

	@Test
	void showsNoMoreThanTheLimitAndSaysHowManyThereAre() {
		LocksDescriptor locks = this.endpoint.locks(null, null, 1);
		assertThat(locks.limit()).isEqualTo(1);
		assertThat(locks.held()).hasSize(1);
		assertThat(locks.counts()).isEqualTo(new CountsDescriptor(2, 1));
	}

	@Test
	void negativeLimitIsRefused() {
		assertThatExceptionOfType(InvalidEndpointRequestException.class)
			.isThrownBy(() -> this.endpoint.locks(null, null, -1))
			.withMessage("'limit' must not be negative: -1");
	}

}
