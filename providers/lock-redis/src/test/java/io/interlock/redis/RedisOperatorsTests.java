package io.interlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.admin.LockAdministrator;
import io.interlock.admin.LockRevoker;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseStoreException;
import io.interlock.redis.autoconfigure.RedisLockAutoConfiguration;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.page.PageBlocks;
import io.interlock.testsupport.redis.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * The ACL of {@code docs/security.md}, and the commands for operators of
 * {@code docs/operations.md}, run as they stand there.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisOperatorsTests {

	private static final Duration LEASE = Duration.ofSeconds(3);

	private static RedisServer server;

	private final RedisInstances instances = new RedisInstances(LEASE);

	@BeforeAll
	static void startServer() {
		server = RedisServer.start("--maxmemory", "1gb", "--maxmemory-policy", "allkeys-lru");
	}

	@AfterAll
	static void stopServer() {
		if (server != null) {
			server.close();
		}
	}

	@BeforeEach
	void createUsers() {
		server.command("FLUSHALL");
		for (int block : List.of(0, 1)) {
			assertThat(run(List.of(),
					PageBlocks.statements("security", "Rights in Redis", "redis", block, Map.of("change-me", "secret"))
						.get(0)))
				.containsExactly("OK");
		}
	}

	@AfterEach
	void close() {
		this.instances.close();
	}

	private static List<String> run(List<String> options, String command) {
		List<String> words = new ArrayList<>(options);
		words.addAll(Arrays.asList(command.split(" ")));
		return server.command(words.toArray(String[]::new));
	}

	private static List<String> asOperator(String command) {
		return run(List.of("--user", "operator", "--pass", "secret", "--no-auth-warning"), command);
	}

	private RedisLeaseStore store() {
		RedisStandaloneConfiguration shop = new RedisStandaloneConfiguration("127.0.0.1", server.port());
		shop.setUsername("shop");
		shop.setPassword("secret");
		return this.instances.store(shop);
	}

	private static LeaseContender contender(LockMode mode) {
		return new LeaseContender(UUID.randomUUID().toString(), "test", new LockId("stock", null), mode, 2, false);
	}

	private static String page(int line, Map<String, String> values) {
		return PageBlocks.statements("operations", "Locks in Redis", "redis", (line == 2) ? 1 : 0, values)
			.get((line == 2) ? 0 : line);
	}

	@Test
	void applicationWithTheseRightsStartsLocksAndWarnsOfEviction(CapturedOutput output) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(RedisLockAutoConfiguration.class, InterlockAutoConfiguration.class,
					DataRedisAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + server.port(),
					"spring.data.redis.username=shop", "spring.data.redis.password=secret",
					"interlock.startup-timeout=20s")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				context.getBean(LockTemplate.class).acquire(LockRequest.exclusive("stock")).close();
				await().untilAsserted(() -> assertThat(output).contains("Redis may evict held locks"));
			});
		assertThat(output).doesNotContain("ERROR");
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void theseRightsSufficeForAllThatLocksDo(LockMode mode) throws Exception {
		RedisLeaseStore store = store();
		store.check();
		CountDownLatch freed = new CountDownLatch(1);
		store.listen((lock) -> freed.countDown());
		await().until(() -> server.command("PUBSUB", "CHANNELS").size() == 1);
		LeaseContender holder = contender(mode);
		LeaseContender waiter = contender(LockMode.EXCLUSIVE);
		assertThat(store.acquire(holder, LEASE, true).granted()).isTrue();
		assertThat(store.acquire(waiter, LEASE, true).granted()).isFalse();
		assertThat(store.renew(List.of(holder, waiter), LEASE).renewed()).containsExactlyInAnyOrder(holder, waiter);
		assertThat(store.isHeld(holder)).isTrue();
		assertThat(store.release(holder)).isTrue();
		assertThat(freed.await(20, TimeUnit.SECONDS)).isTrue();
		assertThat(store.acquire(waiter, LEASE, true).granted()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "eval", "evalsha", "time", "hget", "hgetall", "hset", "hdel", "hlen", "pttl", "pexpire" })
	void noneOfTheseRightsIsSuperfluous(String command) {
		server.command("SCRIPT", "FLUSH");
		server.command("ACL", "SETUSER", "shop", "-" + command);
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> store().check())
			.withMessageContaining("lacks permissions that locks need");
	}

	@Test
	void whatThePageSaysMayBeLeftOut() {
		server.command("ACL", "SETUSER", "shop", "-ping", "-info", "-publish", "-subscribe", "-unsubscribe",
				"resetchannels");
		RedisLeaseStore store = store();
		store.check();
		store.listen((lock) -> {
		});
		LeaseContender holder = contender(LockMode.EXCLUSIVE);
		LeaseContender waiter = contender(LockMode.EXCLUSIVE);
		assertThat(store.acquire(holder, LEASE, true).granted()).isTrue();
		assertThat(store.acquire(waiter, LEASE, true).granted()).isFalse();
		assertThat(store.release(holder)).isTrue();
		assertThat(store.acquire(waiter, LEASE, true).granted()).isTrue();
	}

	@Test
	void keysOfOthersAreOutOfReach() {
		List<String> shop = List.of("--user", "shop", "--pass", "secret", "--no-auth-warning");
		assertThat(run(shop, "HSET other a b")).first().asString().contains("NOPERM");
		assertThat(run(shop, "PUBLISH other a")).first().asString().contains("NOPERM");
		assertThat(run(shop, "FLUSHALL")).first().asString().contains("NOPERM");
		assertThat(asOperator("HDEL interlock:{stock} a")).first().asString().contains("NOPERM");
	}

	@Test
	void operatorSeesAndFreesALock() {
		LockRequest request = LockRequest.exclusive("orders").withKey("42");
		LockTemplate next = new LockTemplate(this.instances.start(server));
		try (LockHandle held = new LockTemplate(this.instances.start(server)).acquire(request)) {
			assertThat(asOperator(page(0, Map.of()))).contains("interlock:{orders:42}");
			List<String> fields = asOperator(page(1, Map.of()));
			int last = fields.indexOf("last");
			String contender = fields.get((last == 0) ? 2 : 0);
			String value = fields.get((last == 0) ? 3 : 1);
			assertThat(fields).hasSize(4).contains(Long.toString(held.fencingToken()));
			assertThat(value).matches(".* test\\|[0-9T:.-]+Z\\|\\|" + Thread.currentThread().getName());
			assertThat(value.split(" ")).hasSize(8)
				.startsWith("1", "EXCLUSIVE")
				.satisfies((words) -> assertThat(words[4]).isEqualTo(Long.toString(held.fencingToken())));
			assertThat(free("another-contender")).containsExactly("0");
			assertThat(held.isValid()).isTrue();
			assertThat(free(contender)).containsExactly("1");
			try (LockHandle other = next.acquire(request)) {
				assertThat(other.fencingToken()).isGreaterThan(held.fencingToken());
				await().until(held::isLost);
				assertThat(other.isValid()).isTrue();
			}
		}
	}

	@Test
	void operatorHoldsALockAndFreesItAsSeen() {
		LockRequest request = LockRequest.exclusive("orders").withKey("42");
		LockTemplate next = new LockTemplate(this.instances.start(server));
		LockTemplate holding = new LockTemplate(this.instances.start(server));
		LockAdministrator administrator = new LockAdministrator(mock(LockRevoker.class), List.of());
		LockHandle held = administrator.hold(request.id(), Duration.ofMinutes(30), "'alice'", holding::acquire, null);
		assertThat(next.tryAcquire(request)).isEmpty();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> administrator.hold(request.id(), Duration.ofMinutes(30), "'bob'", next::acquire, null));
		List<String> fields = asOperator(page(1, Map.of()));
		int last = fields.indexOf("last");
		assertThat(fields).as("nothing is left by the one that was refused").hasSize(4);
		assertThat(fields.get((last == 0) ? 3 : 1).split(" ")[4]).isEqualTo(Long.toString(held.fencingToken()));
		assertThat(free(fields.get((last == 0) ? 2 : 0))).containsExactly("1");
		try (LockHandle other = next.acquire(request)) {
			assertThat(other.fencingToken()).isGreaterThan(held.fencingToken());
		}
	}

	private static List<String> free(String contender) {
		return run(List.of(), page(2, Map.of("the-contender-that-was-seen", contender)));
	}

	@Test
	void waiterHasTheTokenZero() {
		RedisLeaseStore store = store();
		LeaseContender waiter = contender(LockMode.EXCLUSIVE);
		store.acquire(contender(LockMode.EXCLUSIVE), LEASE, true);
		store.acquire(waiter, LEASE, true);
		assertThat(server.command("HGET", "interlock:{stock}", waiter.id())).singleElement()
			.satisfies((value) -> assertThat(value.split(" ")[4]).isEqualTo("0"));
	}

}
