package io.interlock.admin;

import java.util.List;

import io.interlock.LockId;
import io.interlock.metrics.MicrometerLockAdministrationListener;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.ArgumentMatchers.isNull;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LockAdministrator} and {@link MicrometerLockAdministrationListener}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockAdministratorTests {

	private static final LockId ORDERS = new LockId("orders\nforged line", "42");

	private static final LockRevoker.Target NODE = new LockRevoker.Target(ORDERS, 7, "/interlock/orders:42/node", null,
			false);

	private final LockRevoker revoker = mock(LockRevoker.class);

	private final LockAdministrator.Listener listener = mock(LockAdministrator.Listener.class);

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final LockAdministrator administrator = new LockAdministrator(this.revoker,
			List.of(this.listener, new MicrometerLockAdministrationListener(this.registry)));

	@Test
	void saysWhoReleasedWhat(CapturedOutput output) {
		given(this.revoker.release(ORDERS, 7)).willReturn(NODE);
		assertThat(this.administrator.release(ORDERS, 7, "'alice'")).isSameAs(NODE);
		assertThat(output).contains("WARN", "at the request of 'alice'", "token 7", "/interlock/orders:42/node")
			.doesNotContain("\nforged line");
		then(this.listener).should().onReleased(NODE, "'alice'");
		assertThat(count("released")).isEqualTo(1);
	}

	@Test
	void saysWhoseLockItWas(CapturedOutput output) {
		ContenderOwner owner = new ContenderOwner(ContenderOwner.Kind.INTERLOCK, 1, "shop", "shop@host:7", "host", 7L,
				"main", null, null, null, null, null);
		LockRevoker.Target held = new LockRevoker.Target(ORDERS, 7, "a contender", owner, false);
		given(this.revoker.release(ORDERS, 7)).willReturn(held);
		given(this.revoker.requestRevocation(eq(ORDERS), eq(7L), isNull(), any())).willReturn(held, NODE);
		this.administrator.release(ORDERS, 7, "'alice'");
		this.administrator.requestRevocation(ORDERS, 7, null, "'alice'");
		this.administrator.requestRevocation(ORDERS, 7, null, "'alice'");
		String line = "token 7, node a contender of shop@host:7, thread main\n";
		assertThat(output).containsSubsequence("was released by force", line, "was asked to give it up", line,
				"node /interlock/orders:42/node of an instance that is no longer known\n");
	}

	@Test
	void leavesAnAuditTrail(CapturedOutput output) {
		given(this.revoker.release(ORDERS, 7)).willReturn(NODE);
		given(this.revoker.release(ORDERS, 8)).willThrow(new StaleTokenException(ORDERS, 8));
		this.administrator.release(ORDERS, 7, "'mallory\" outcome=\"forged\\'\u2028");
		assertThatExceptionOfType(StaleTokenException.class)
			.isThrownBy(() -> this.administrator.release(ORDERS, 8, "'alice'"));
		assertThat(output.toString()
			.lines()
			.filter((line) -> line.contains("io.interlock.audit") || line.contains("i.i.audit"))
			.map((line) -> line.substring(line.indexOf("action="))))
			.containsExactly(
					"action=release outcome=done lock=\"orders\\\\u000aforged line[42]\" token=7 "
							+ "by=\"'mallory\\\" outcome=\\\"forged\\\\'\\\\u2028\" node=\"/interlock/orders:42/node\"",
					"action=release outcome=stale lock=\"orders\\\\u000aforged line[42]\" token=8 by=\"'alice'\" "
							+ "reason=\"No holder or waiter of lock orders\\\\u000aforged line[42] has token 8 any more: nothing was done. "
							+ "Look at the lock again\"");
	}

	@Test
	void saysWhoWasRefused(CapturedOutput output) {
		StaleTokenException stale = new StaleTokenException(ORDERS, 7);
		given(this.revoker.release(ORDERS, 7)).willThrow(stale);
		assertThatExceptionOfType(StaleTokenException.class)
			.isThrownBy(() -> this.administrator.release(ORDERS, 7, "'alice'"));
		assertThat(output).contains("was not released", "at the request of 'alice'");
		then(this.listener).should().onNotReleased(ORDERS, 7, "'alice'", stale);
		assertThat(count("stale")).isEqualTo(1);
	}

	@Test
	void countsThatZooKeeperDidNotAnswer() {
		given(this.revoker.release(ORDERS, 7)).willThrow(new LockInspectionException("silence", null));
		assertThatExceptionOfType(LockInspectionException.class)
			.isThrownBy(() -> this.administrator.release(ORDERS, 7, "'alice'"));
		assertThat(count("unavailable")).isEqualTo(1);
	}

	@Test
	void listenerThatFailsChangesNothing() {
		given(this.revoker.release(ORDERS, 7)).willReturn(NODE);
		willThrow(new IllegalStateException("broken")).given(this.listener).onReleased(NODE, "'alice'");
		assertThat(this.administrator.release(ORDERS, 7, "'alice'")).isSameAs(NODE);
		assertThat(count("released")).isEqualTo(1);
	}

	@Test
	void saysWhoAskedWhom(CapturedOutput output) {
		given(this.revoker.requestRevocation(eq(ORDERS), eq(7L), eq(3), any())).willReturn(NODE);
		assertThat(this.administrator.requestRevocation(ORDERS, 7, 3, "'alice'")).isSameAs(NODE);
		assertThat(output).contains("was asked to give it up at the request of 'alice'", "token 7")
			.doesNotContain("\nforged line");
		then(this.listener).should()
			.onRequested(eq(NODE), argThat((request) -> request.requestedBy().equals("'alice'")));
		assertThat(count("interlock.admin.requests", "requested")).isEqualTo(1);
	}

	@Test
	void requestThatFreesALockIsCountedAsTheAuditLogTellsIt(CapturedOutput output) {
		given(this.revoker.requestRevocation(eq(ORDERS), eq(7L), isNull(), any()))
			.willReturn(new LockRevoker.Target(ORDERS, 7, "kept", null, true, true));
		this.administrator.requestRevocation(ORDERS, 7, null, "'alice'");
		assertThat(output).contains("action=request outcome=freed");
		assertThat(count("interlock.admin.requests", "freed")).isEqualTo(1);
		assertThat(count("interlock.admin.requests", "requested")).isZero();
	}

	@Test
	void saysWhoCouldNotAsk(CapturedOutput output) {
		StaleTokenException stale = new StaleTokenException(ORDERS, 7);
		given(this.revoker.requestRevocation(eq(ORDERS), eq(7L), isNull(), any())).willThrow(stale);
		assertThatExceptionOfType(StaleTokenException.class)
			.isThrownBy(() -> this.administrator.requestRevocation(ORDERS, 7, null, "'alice'"));
		assertThat(output).contains("could not be asked to give it up at the request of 'alice'");
		then(this.listener).should().onNotRequested(eq(ORDERS), eq(7L), any(), eq(stale));
		assertThat(count("interlock.admin.requests", "stale")).isEqualTo(1);
	}

	private double count(String outcome) {
		return count("interlock.admin.releases", outcome);
	}

	private double count(String meter, String outcome) {
		return this.registry.get(meter).tag("outcome", outcome).counter().count();
	}

}
