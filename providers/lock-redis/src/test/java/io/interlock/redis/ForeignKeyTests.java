package io.interlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockState;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseStoreException;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.redis.RedisServer;
import io.interlock.testsupport.time.MovedTime;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for keys of locks, and fields of them, that another application has overwritten.
 */
@ExtendWith(OutputCaptureExtension.class)
class ForeignKeyTests {

	private static final Duration LEASE = Duration.ofMinutes(1);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final String KEY = "interlock:{stock}";

	private static final int LOCKS = 300;

	private final RedisServer server = RedisServer.start();

	private final MovedTime time = new MovedTime();

	private final RedisInstances instances = new RedisInstances(LEASE, Duration.ofMillis(50), this.time);

	@AfterEach
	void close() {
		this.instances.close();
		this.time.close();
		this.server.close();
	}

	@Test
	void keyAndFieldCostTheirOwnHoldsOnly(CapturedOutput output) throws Exception {
		LeaseLockProvider instance = this.instances.start(this.server);
		List<LockGrant> grants = new ArrayList<>();
		for (int i = 0; i < LOCKS; i++) {
			grants
				.add(instance.attempt(LockRequest.exclusive("stock").withKey(Integer.toString(i)), LockCaller.current())
					.outcome()
					.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
					.orElseThrow());
		}
		String field = this.server.command("HKEYS", "interlock:{stock:250}")
			.stream()
			.filter((name) -> !name.equals("last"))
			.findFirst()
			.orElseThrow();
		this.server.command("SET", "interlock:{stock:7}", "of another application");
		this.server.command("HSET", "interlock:{stock:250}", field, "garbage");
		this.time.advance(LEASE.multipliedBy(3), LEASE.dividedBy(50));
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(grants).allSatisfy((grant) -> assertThat(grant.state()).isEqualTo(
					List.of("7", "250").contains(grant.request().id().key()) ? LockState.LOST : LockState.VALID)));
		assertThat(output).containsOnlyOnce("The lease of lock stock[7] is lost")
			.contains("interlock:{stock:7} holds a string", "interlock.redis.key-prefix")
			.containsOnlyOnce("The lease of lock stock[250] is lost")
			.contains("interlock:{stock:250} has it in the field " + field)
			.doesNotContain("were not renewed")
			.doesNotContain("of another application", "garbage");
		assertThat(this.server.command("GET", "interlock:{stock:7}")).containsExactly("of another application");
		for (String key : List.of("7", "250")) {
			assertThatExceptionOfType(LockServiceUnavailableException.class)
				.isThrownBy(() -> new LockTemplate(instance).acquire(LockRequest.exclusive("stock").withKey(key)))
				.withMessageContaining("interlock:{stock:%s}".formatted(key));
		}
	}

	@Test
	void keyOfAnotherTypeIsNamedWithItsRemedy() {
		RedisLeaseStore store = this.instances.store(RedisInstances.server(this.server.port()));
		LeaseContender contender = contender();
		this.server.command("SET", KEY, "text");
		Stream
			.<ThrowingCallable>of(() -> store.acquire(contender, LEASE, true), () -> store.isHeld(contender),
					() -> store.release(contender))
			.forEach((call) -> assertRefused(call, KEY + " holds a string"));
		this.server.command("DEL", KEY);
		this.server.command("RPUSH", "interlock:{interlock-check}", "text");
		assertRefused(store::check, "interlock:{interlock-check} holds a list");
		this.server.command("SET", "interlock:runs", "text");
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> store.runs(List.of("report")))
			.withMessageContaining("a key of a lock is used for something else: interlock:runs");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "garbage", "inf", "nan", "0x10", "1e3", "-", "99999999999999999999" })
	void lastNumberThatIsNoneIsRefused(String last) {
		RedisLeaseStore store = this.instances.store(RedisInstances.server(this.server.port()));
		this.server.command("HSET", KEY, "last", last);
		assertRefused(() -> store.acquire(contender(), LEASE, true), "field last");
	}

	@Test
	void fieldThatIsSpoiledKeepsNoOtherContenderFromLeaving() {
		RedisLeaseStore store = this.instances.store(RedisInstances.server(this.server.port()));
		LeaseContender holder = contender();
		store.acquire(holder, LEASE, true);
		this.server.command("HSET", KEY, "of others", "garbage");
		assertRefused(() -> store.acquire(contender(), LEASE, true), "has it in the field of?others");
		assertThat(store.renew(List.of(holder), LEASE).renewed()).containsExactly(holder);
		assertThat(store.isHeld(holder)).isTrue();
		assertThat(store.release(holder)).isTrue();
	}

	private static void assertRefused(ThrowingCallable call, String what) {
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(call)
			.withMessageContaining(what)
			.matches((ex) -> !ex.isPassing())
			.satisfies((ex) -> assertThat(ex.getRemedy()).containsIgnoringCase("delete the key"));
	}

	private static LeaseContender contender() {
		return new LeaseContender(UUID.randomUUID().toString(), "test", new LockId("stock", null), LockMode.EXCLUSIVE,
				1, false);
	}

}
