package io.interlock.actuate.endpoint;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.actuate.endpoint.LocksEndpoint.CountsDescriptor;
import io.interlock.actuate.endpoint.LocksEndpoint.HeldLockDescriptor;
import io.interlock.actuate.endpoint.LocksEndpoint.IdleLockDescriptor;
import io.interlock.actuate.endpoint.LocksEndpoint.LocksDescriptor;
import io.interlock.actuate.endpoint.LocksEndpoint.WaitingLockDescriptor;
import io.interlock.admin.LockInspectionBusyException;
import io.interlock.admin.LockInspectionException;
import io.interlock.admin.LockInspector;
import io.interlock.admin.TooManyLocksException;
import io.interlock.provider.LockCapabilities;
import io.interlock.provider.RunRecords.Run;
import io.interlock.queue.QueueSnapshot;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSnapshot;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LocksEndpoint}.
 */
class LocksEndpointTests {

	private static final Instant SINCE = Instant.parse("2026-01-02T03:04:05Z");

	private static final Run RUN = new Run("report", null, "host:1", SINCE, Duration.ofSeconds(5), "success", SINCE);

	private static final LockId ORDERS = new LockId("orders", "42");

	private static final LockId REPORT = new LockId("report", null);

	private final HeldLocks locks = mock(HeldLocks.class);

	private final List<QueueSnapshot> queues = new ArrayList<>();

	private final Map<String, Long> leading = new TreeMap<>();

	private final LocksEndpoint endpoint = new LocksEndpoint(this.locks, () -> this.queues, () -> this.leading,
			() -> LockCapabilities.ALL, () -> List.of(RUN));

	@BeforeEach
	void holdAndWait() {
		given(this.locks.held()).willReturn(
				List.of(new LockSnapshot(ORDERS, LockMode.EXCLUSIVE, 7L, true, 3, "main", SINCE, List.of(), null),
						new LockSnapshot(REPORT, LockMode.SHARED, 8L, false, 0, "worker", SINCE, List.of(), null)));
		given(this.locks.waiting()).willReturn(List
			.of(new LockSnapshot(ORDERS, LockMode.SHARED, null, false, null, "worker", SINCE, List.of(), null)));
	}

	@Test
	@SuppressWarnings("NullAway")
	void createWithoutLocksFails() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new LocksEndpoint(null, List::of, Map::of, () -> null, List::of))
			.withMessage("'locks' must not be null");
	}

	@Test
	void showsWhatTheProviderCanDo() {
		assertThat(this.endpoint.locks(null, null, null).capabilities()).isEqualTo(LockCapabilities.ALL);
		assertThat(this.endpoint.locks("orders", null, null).capabilities()).isNull();
	}

	@Test
	void showsTheLastRunsOfJobsAtRunsOnly() {
		assertThat(this.endpoint.runs("runs")).isEqualTo(new LocksEndpoint.RunsDescriptor(List.of(RUN)));
		assertThat(this.endpoint.runs("report")).isNull();
	}

	@Test
	void webExtensionShowsTheLastRunsToo() {
		LocksEndpointWebExtension extension = new LocksEndpointWebExtension(this.endpoint,
				(provider) -> mock(LockInspector.class));
		assertThat(extension.locks("runs", null, null, null, null, null, null, null).getBody())
			.isEqualTo(new LocksEndpoint.RunsDescriptor(List.of(RUN)));
		assertThat(extension.locksOfName("runs", "report", null, null, null, null, null, null).getStatus())
			.isEqualTo(404);
	}

	@Test
	void webExtensionTellsASlowAnswerAndTooManyLocksFromAnOutage() {
		LockInspector inspector = mock(LockInspector.class);
		LocksEndpointWebExtension extension = new LocksEndpointWebExtension(this.endpoint, (provider) -> inspector);
		given(inspector.locks(any())).willThrow(new LockInspectionBusyException("too late", null),
				new TooManyLocksException("a million keys"), new LockInspectionException("no connection", null));
		for (LocksEndpointWebExtension.ErrorDescriptor error : List.of(
				new LocksEndpointWebExtension.ErrorDescriptor("BUSY", "too late"),
				new LocksEndpointWebExtension.ErrorDescriptor("TOO_MANY", "a million keys"),
				new LocksEndpointWebExtension.ErrorDescriptor("UNAVAILABLE", "no connection"))) {
			WebEndpointResponse<Object> answer = extension.locks("cluster", null, null, null, null, null, null, null);
			assertThat(answer.getStatus()).isEqualTo(503);
			assertThat(answer.getBody()).isEqualTo(error);
		}
	}

	@Test
	void showsWhatIsHeld() {
		assertThat(this.endpoint.locks(null, null, null).held()).containsExactly(
				new HeldLockDescriptor("orders", "42", null, LockMode.EXCLUSIVE, 7L, true, 3, "main", SINCE, null, null,
						null, null),
				new HeldLockDescriptor("report", null, null, LockMode.SHARED, 8L, false, 0, "worker", SINCE, null, null,
						null, null));
	}

	@Test
	void showsWhatIsWaitedFor() {
		assertThat(this.endpoint.locks(null, null, null).waiting())
			.containsExactly(new WaitingLockDescriptor("orders", "42", null, LockMode.SHARED, "worker", SINCE));
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
			.isEqualTo(new LocksDescriptor(new CountsDescriptor(0, 0), 500, List.of(), List.of(), null, null, null));
	}

	@Test
	void showsStacksOnRequest() {
		StackTraceElement frame = new StackTraceElement("com.example.Orders", "ship", "Orders.java", 42);
		given(this.locks.heldWithStacks(null, 100)).willReturn(List
			.of(new LockSnapshot(ORDERS, LockMode.EXCLUSIVE, 7L, true, 3, "main", SINCE, List.of(frame), null)));
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
	void showsWhatIsIdle() {
		assertThat(this.endpoint.locks(null, null, null).idle()).isNull();
		this.queues.add(new QueueSnapshot(ORDERS, 0, 0, 7L, 3, Duration.ofSeconds(1)));
		this.queues.add(new QueueSnapshot(REPORT, 0, 1, 8L, 0, Duration.ofSeconds(1)));
		assertThat(this.endpoint.locks(null, null, null).idle())
			.containsExactly(new IdleLockDescriptor("orders", "42", null, 7L));
		assertThat(this.endpoint.locks("report", null, null).idle()).isNull();
	}

	@Test
	void showsTheElectionsThatAreWon() {
		assertThat(this.endpoint.locks(null, null, null).leading()).isNull();
		this.leading.put("billing", 9L);
		assertThat(this.endpoint.locks(null, null, null).leading()).containsExactly(Map.entry("billing", 9L));
		assertThat(this.endpoint.locks("report", null, null).leading()).isNull();
	}

	@Test
	void nameAndLimitApplyBeforeStacksAreWalked() {
		this.endpoint.locks("orders", true, 1);
		then(this.locks).should().heldWithStacks("orders", 1);
	}

	@ParameterizedTest
	@CsvSource({ "true, 101, 'must be at most 100 with stacks: 101'", "false, 10001, 'must be at most 10000: 10001'" })
	void limitWithoutEndIsRefused(boolean stacks, int limit, String reason) {
		assertThatExceptionOfType(InvalidEndpointRequestException.class)
			.isThrownBy(() -> this.endpoint.locks(null, stacks, limit))
			.withMessage("'limit' " + reason);
	}

	@Test
	void negativeLimitIsRefused() {
		assertThatExceptionOfType(InvalidEndpointRequestException.class)
			.isThrownBy(() -> this.endpoint.locks(null, null, -1))
			.withMessage("'limit' must not be negative: -1");
	}

}
