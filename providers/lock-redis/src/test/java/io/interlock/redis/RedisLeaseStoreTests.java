package io.interlock.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.lease.LeaseAnswer;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseSettings;
import io.interlock.lease.LeaseStore.Renewed;
import io.interlock.lease.LeaseStoreException;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.provider.RunRecords.Run;
import io.interlock.testsupport.proxy.Ports;
import io.interlock.testsupport.redis.RedisServer;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.TimeoutOptions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link RedisLeaseStore}.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisLeaseStoreTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Executor NO_THREADS = (task) -> {
		throw new IllegalStateException("There is no thread");
	};

	private static RedisServer server;

	private final RedisInstances instances = new RedisInstances(Duration.ofMinutes(1));

	private RedisLeaseStore store;

	@BeforeAll
	static void startServer() {
		server = RedisServer.start();
	}

	@AfterAll
	static void stopServer() {
		if (server != null) {
			server.close();
		}
	}

	@BeforeEach
	void createStore() {
		server.command("FLUSHALL");
		this.store = this.instances.store(RedisInstances.server(server.port()));
	}

	@AfterEach
	void close() {
		this.instances.close();
	}

	private static long token(LeaseAnswer answer) {
		assertThat(answer.granted()).isTrue();
		return answer.token();
	}

	private static LeaseContender contender(String name) {
		return new LeaseContender(UUID.randomUUID().toString(), "an instance\nof two lines", new LockId(name, null),
				LockMode.EXCLUSIVE, 1, false);
	}

	@Test
	void checkHarmsNoLockOfTheSameName() {
		LeaseContender holder = contender("interlock-check");
		long token = token(this.store.acquire(holder, LEASE, false));
		this.store.check();
		assertThat(this.store.isHeld(holder)).isTrue();
		assertThat(token(this.store.acquire(holder, LEASE, false))).isEqualTo(token);
		assertThat(server.command("HKEYS", "interlock:{interlock-check}")).containsExactlyInAnyOrder(holder.id(),
				"last");
	}

	@Test
	void otherInstanceAnswersForTheLastRun() {
		Instant start = Instant.parse("2026-01-02T03:04:05Z");
		Run run = new Run("report", "a", "first", start, Duration.ofSeconds(5), "success", start.plusSeconds(5));
		this.store.record(run);
		RedisLeaseStore second = this.instances.store(RedisInstances.server(server.port()));
		assertThat(second.runs(Set.of("report", "unknown"))).containsExactly(run);
		server.command("HSET", "interlock:runs", "report", "of another release");
		assertThat(this.store.runs(Set.of("report"))).isEmpty();
	}

	@Test
	void openConnectionNeedsNoThread() {
		LeaseContender contender = contender("stock");
		RedisLeaseStore store = this.store;
		assertThat(answer(store.isHeld(contender, Runnable::run))).isFalse();
		server.command("SCRIPT", "FLUSH");
		assertThat(answer(store.acquire(contender, LEASE, true, NO_THREADS)).granted()).isTrue();
		LeaseContender waiting = contender("stock");
		assertThat(answer(store.acquireInTurn(waiting, LEASE, NO_THREADS)).granted()).isFalse();
		assertThat(answer(store.isHeld(contender, NO_THREADS))).isTrue();
		assertThat(answer(store.release(contender, NO_THREADS))).isTrue();
		assertThat(answer(store.release(contender, NO_THREADS))).isFalse();
		assertThat(answer(store.acquireInTurn(waiting, LEASE, NO_THREADS)).granted()).isTrue();
	}

	@Test
	void connectionIsMadeOnAThreadThatMayBlock() {
		assertThatIllegalStateException().isThrownBy(() -> this.store.isHeld(contender("stock"), NO_THREADS));
	}

	@Test
	void commandsThatDoNotEndByThemselvesHaveAThread() {
		LettuceConnectionFactory endless = new LettuceConnectionFactory(RedisInstances.server(server.port()),
				LettuceClientConfiguration.builder()
					.clientOptions(ClientOptions.builder()
						.timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
						.build())
					.build());
		endless.afterPropertiesSet();
		endless.start();
		try {
			RedisLeaseStore store = new RedisLeaseStore(endless,
					new RedisLeaseStoreSettings("interlock:", Duration.ZERO));
			assertThat(answer(store.isHeld(contender("stock"), Runnable::run))).isFalse();
			assertThatIllegalStateException().isThrownBy(() -> store.isHeld(contender("stock"), NO_THREADS));
		}
		finally {
			endless.destroy();
		}
	}

	@Test
	void silentServerEndsWhatIsAskedWithoutAThread() {
		try (RedisInstances hasty = new RedisInstances(Duration.ofSeconds(3));
				RedisServer silent = RedisServer.start()) {
			RedisLeaseStore store = hasty.store(RedisInstances.server(silent.port()));
			assertThat(answer(store.isHeld(contender("stock"), Runnable::run))).isFalse();
			silent.pause();
			try {
				assertThatExceptionOfType(CompletionException.class)
					.isThrownBy(() -> answer(store.acquire(contender("stock"), LEASE, true, NO_THREADS)))
					.havingCause()
					.isInstanceOfSatisfying(LeaseStoreException.class, (ex) -> assertThat(ex.isPassing()).isTrue());
			}
			finally {
				silent.resume();
			}
		}
	}

	@Test
	void refusalIsToldWithItsRemedyWithoutAThread() {
		LeaseContender contender = contender("stock");
		assertThat(answer(this.store.isHeld(contender, Runnable::run))).isFalse();
		server.command("SET", "interlock:{stock}", "text");
		assertThatExceptionOfType(CompletionException.class)
			.isThrownBy(() -> answer(this.store.acquire(contender, LEASE, true, NO_THREADS)))
			.havingCause()
			.isInstanceOf(LeaseStoreException.class)
			.withMessageContaining("interlock.redis.key-prefix");
	}

	private static <T> T answer(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
	}

	@Test
	void refusalNamesTheTokenOfTheHolder() {
		long token = token(this.store.acquire(contender("stock"), LEASE, false));
		LeaseContender waiting = contender("stock");
		assertThat(this.store.acquire(waiting, LEASE, true)).isEqualTo(LeaseAnswer.heldBy(token));
		assertThat(this.store.acquireInTurn(waiting, LEASE)).isEqualTo(LeaseAnswer.heldBy(token));
	}

	@Test
	void clockThatWasPutBackMakesNoTokenSmaller() {
		long ahead = 8_000_000_000_000_000L;
		server.command("HSET", "interlock:{stock}", "last", Long.toString(ahead));
		assertThat(this.store.acquire(contender("stock"), LEASE, false)).isEqualTo(LeaseAnswer.granted(ahead + 1));
	}

	@Test
	void questionWhoseAnswerWasLostIsAnsweredAgain() {
		LeaseContender contender = contender("stock");
		long token = token(this.store.acquire(contender, LEASE, true));
		assertThat(this.store.acquire(contender, LEASE, true)).isEqualTo(LeaseAnswer.granted(token));
		assertThat(this.store.isHeld(contender)).isTrue();
		assertThat(this.store.release(contender)).isTrue();
		assertThat(this.store.release(contender)).isFalse();
		assertThat(this.store.isHeld(contender)).isFalse();
	}

	@Test
	void leaseThatIsOverIsNeverTakenUpAgain() {
		LeaseContender contender = contender("stock");
		this.store.acquire(contender, Duration.ofMillis(50), false);
		await().until(() -> !this.store.isHeld(contender));
		assertThat(this.store.renew(Set.of(contender), LEASE).renewed()).isEmpty();
		assertThat(this.store.release(contender)).isFalse();
	}

	@Test
	void keyOfUnusedLockVanishes() {
		RedisLeaseStore brief = new RedisLeaseStore(this.instances.connections(RedisInstances.server(server.port())),
				new RedisLeaseStoreSettings("brief:", Duration.ofMillis(200)));
		LeaseContender contender = contender("stock");
		long token = token(brief.acquire(contender, Duration.ofSeconds(4), false));
		brief.release(contender);
		assertThat(server.command("EXISTS", "brief:{stock}")).containsExactly("1");
		await().until(() -> server.command("EXISTS", "brief:{stock}").equals(List.of("0")));
		assertThat(token(brief.acquire(contender("stock"), LEASE, false))).isGreaterThan(token);
		brief.close();
	}

	@Test
	void releaseTellsTheInstanceWhoseTurnComes() {
		RedisLeaseStore second = this.instances.store(RedisInstances.server(server.port()));
		RedisLeaseStore third = this.instances.store(RedisInstances.server(server.port()));
		List<String> told = new CopyOnWriteArrayList<>();
		second.listen((lock) -> told.add("second " + lock));
		third.listen((lock) -> told.add("third " + lock));
		await().until(() -> server.command("PUBSUB", "CHANNELS", "interlock:freed:*").size() == 2);
		LeaseContender holder = contender("stock");
		LeaseContender next = contender("stock");
		this.store.acquire(holder, LEASE, true);
		second.acquire(next, LEASE, true);
		third.acquire(contender("stock"), LEASE, true);
		this.store.release(holder);
		await().untilAsserted(() -> assertThat(told).containsExactly("second stock"));
		second.release(next);
		await().untilAsserted(() -> assertThat(told).containsExactly("second stock", "third stock"));
		second.close();
		third.close();
		await().until(() -> server.command("PUBSUB", "CHANNELS", "interlock:freed:*").isEmpty());
	}

	/**
	 * The channel is one word of what a contender has in the hash of the lock.
	 */
	@Test
	void releaseTellsTheInstanceWhosePrefixHasWhiteSpace() {
		RedisLeaseStore other = new RedisLeaseStore(this.instances.connections(RedisInstances.server(server.port())),
				new RedisLeaseStoreSettings("my shop\t:", Duration.ofMinutes(1)));
		List<LockId> told = new CopyOnWriteArrayList<>();
		other.listen(told::add);
		await().until(() -> server.command("PUBSUB", "CHANNELS", "my*freed:*").size() == 1);
		LeaseContender holder = contender("stock");
		LeaseContender next = contender("stock");
		other.acquire(holder, LEASE, true);
		other.acquire(next, LEASE, true);
		assertThat(other.release(holder)).isTrue();
		await().untilAsserted(() -> assertThat(told).containsExactly(next.lock()));
		other.close();
	}

	@Test
	void manyLeasesAreRenewedByFewScripts() {
		List<LeaseContender> contenders = acquireMany(this.store);
		server.command("CONFIG", "RESETSTAT");
		assertThat(this.store.renew(contenders, LEASE).renewed()).containsExactlyInAnyOrderElementsOf(contenders);
		assertThat(server.command("INFO", "commandstats")).filteredOn((line) -> line.startsWith("cmdstat_eval"))
			.anySatisfy((line) -> assertThat(line).contains("calls=3,"));
	}

	@Test
	void freeAcquisitionAndItsReleaseAreOneRequestEachWhoeverListens() throws Exception {
		LeaseLockProvider provider = this.instances.start(RedisInstances.server(server.port()),
				new LeaseSettings("test", Duration.ofHours(1), Duration.ofMillis(20), Duration.ofSeconds(10), 4, true));
		provider.passRequestsOn((holders, request) -> 0);
		acquireAndRelease(provider);
		server.command("CONFIG", "RESETSTAT");
		// Many, since the server counts what connections of other tests end with, too.
		int times = 100;
		for (int i = 0; i < times; i++) {
			acquireAndRelease(provider);
		}
		Map<String, Double> inScripts = Map.of("time", 2.0, "hgetall", 1.0, "hset", 1.0, "pttl", 1.0, "pexpire", 1.0,
				"hget", 1.0, "hdel", 1.0, "hlen", 1.0);
		Map<String, Double> calls = callsOfCommands(times);
		assertThat(calls).containsAllEntriesOf(inScripts);
		calls.keySet().removeAll(inScripts.keySet());
		assertThat(calls).as("requests of the instance").isEqualTo(Map.of("evalsha", 2.0));
	}

	private static void acquireAndRelease(LeaseLockProvider provider) throws Exception {
		LockGrant grant = provider.attempt(LockRequest.exclusive("stock"), LockCaller.current())
			.outcome()
			.get(30, TimeUnit.SECONDS)
			.orElseThrow();
		assertThat(grant.release().get(30, TimeUnit.SECONDS)).isEqualTo(LockState.RELEASED);
	}

	/**
	 * Return how often each command was called in one of so many turns, to a tenth, by a
	 * client or a script.
	 */
	private static Map<String, Double> callsOfCommands(int turns) {
		Map<String, Double> calls = server.command("INFO", "commandstats")
			.stream()
			.map(Pattern.compile("cmdstat_([\\w|]+):calls=(\\d+),.*")::matcher)
			.filter((line) -> line.matches() && !line.group(1).startsWith("config"))
			.collect(Collectors.toMap((line) -> line.group(1),
					(line) -> Math.round(10.0 * Integer.parseInt(line.group(2)) / turns) / 10.0));
		calls.values().removeIf((times) -> times == 0);
		return calls;
	}

	private static List<LeaseContender> acquireMany(RedisLeaseStore store) {
		List<LeaseContender> contenders = IntStream.range(0, 500).mapToObj((i) -> contender("stock-" + i)).toList();
		contenders.forEach((contender) -> assertThat(store.acquire(contender, LEASE, false).granted()).isTrue());
		return contenders;
	}

	@Test
	void leasesAreRenewedInCluster() {
		try (RedisServer node = RedisServer.start("--cluster-enabled", "yes", "--cluster-port",
				Integer.toString(Ports.free()), "--cluster-require-full-coverage", "no")) {
			node.command("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
			await().atMost(Duration.ofSeconds(30))
				.until(() -> node.command("CLUSTER", "INFO").contains("cluster_state:ok"));
			RedisLeaseStore cluster = this.instances
				.store(new RedisClusterConfiguration(List.of("127.0.0.1:" + node.port())));
			List<LeaseContender> contenders = acquireMany(cluster);
			assertThat(cluster.renew(contenders, LEASE).renewed()).containsExactlyInAnyOrderElementsOf(contenders);
			assertThat(cluster.release(contenders.get(0))).isTrue();
			RedisLeaseStore misled = this.instances.store(RedisInstances.server(node.port()));
			assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> misled.renew(contenders, LEASE))
				.withMessageContaining("spring.data.redis.cluster.nodes")
				.matches((ex) -> !ex.isPassing());
		}
	}

	@Test
	void missingPasswordIsLasting() {
		try (RedisServer guarded = RedisServer.start()) {
			guarded.command("CONFIG", "SET", "requirepass", "secret");
			RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("127.0.0.1", guarded.port());
			assertLasting(this.instances.store(configuration), "spring.data.redis.password");
			configuration.setPassword("wrong");
			assertLasting(this.instances.store(configuration), "spring.data.redis.password");
			configuration.setPassword("secret");
			assertThat(this.instances.store(configuration).acquire(contender("stock"), LEASE, false).granted())
				.isTrue();
		}
	}

	@Test
	void missingPermissionIsLasting() {
		server.command("ACL", "SETUSER", "reader", "on", ">secret", "~*", "+@read", "+hello");
		server.command("ACL", "SETUSER", "scripts", "on", ">secret", "~*", "+@all", "-hset");
		server.command("ACL", "SETUSER", "silent", "on", ">secret", "~*", "+@all", "resetchannels");
		for (String user : List.of("reader", "scripts")) {
			assertLasting(this.instances.store(user(user)), "EVALSHA");
		}
		RedisLeaseStore silent = this.instances.store(user("silent"));
		LeaseContender holder = contender("stock");
		silent.acquire(holder, LEASE, false);
		silent.acquire(contender("stock"), LEASE, true);
		assertThat(silent.release(holder)).isTrue();
	}

	private static RedisStandaloneConfiguration user(String name) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("127.0.0.1", server.port());
		configuration.setUsername(name);
		configuration.setPassword("secret");
		return configuration;
	}

	@Test
	void keyOfAnotherUseIsLasting() {
		server.command("SET", "interlock:{stock}", "something");
		assertLasting(this.store, "interlock.redis.key-prefix");
	}

	/**
	 * An instance of a later release may have written it.
	 */
	@Test
	void valueOfAnotherFormatIsLasting(CapturedOutput output) {
		LeaseContender holder = contender("stock");
		this.store.acquire(holder, LEASE, false);
		String field = "interlock:{stock}";
		String value = String.join("\n", server.command("HGET", field, holder.id()));
		assertThat(value).startsWith("1 EXCLUSIVE ");
		for (String other : List.of("2" + value.substring(1), "something")) {
			server.command("HSET", field, holder.id(), other);
			assertLasting(this.store, "another release");
			assertThat(this.store.renew(Set.of(holder), LEASE)).isEqualTo(Renewed.of(Set.of()));
			assertThat(output).contains("The lease of lock stock is lost: another release")
				.contains(holder.id(), "delete the key");
			assertRefused(() -> this.store.isHeld(holder));
			assertRefused(() -> this.store.release(holder));
			assertThat(server.command("HGET", field, holder.id())).first().isEqualTo(other.lines().findFirst().get());
		}
		server.command("HDEL", field, holder.id());
		server.command("HSET", field, "last", "2 17");
		assertLasting(this.store, "another release");
	}

	private static void assertRefused(ThrowingCallable call) {
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(call).matches((ex) -> !ex.isPassing());
	}

	@Test
	void readOnlyReplicaIsPassing() {
		try (RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1 " + server.port())) {
			RedisLeaseStore reading = this.instances.store(RedisInstances.server(replica.port()));
			assertThatExceptionOfType(LeaseStoreException.class)
				.isThrownBy(() -> reading.acquire(contender("stock"), LEASE, false))
				.withMessageContaining("READONLY")
				.matches(LeaseStoreException::isPassing);
		}
	}

	@Test
	void absentServerIsPassing() {
		RedisLeaseStore absent = this.instances.store(RedisInstances.server(1));
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> absent.isHeld(contender("stock")))
			.matches(LeaseStoreException::isPassing);
	}

	/**
	 * Lettuce loses the answer if the server hangs up before it has looked, which passes.
	 */
	private static void assertLasting(RedisLeaseStore store, String remedy) {
		await().untilAsserted(() -> assertThatExceptionOfType(LeaseStoreException.class)
			.isThrownBy(() -> store.acquire(contender("stock"), LEASE, false))
			.withMessageContaining(remedy)
			.matches((ex) -> !ex.isPassing()));
	}

	@Test
	void refusesBraces() {
		assertThatIllegalArgumentException().isThrownBy(() -> new RedisLeaseStoreSettings("{a}", Duration.ZERO))
			.withMessageContaining("keyPrefix");
	}

}
