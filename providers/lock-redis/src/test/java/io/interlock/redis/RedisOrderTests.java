package io.interlock.redis;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.redis.RedisServer;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.TimeoutOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the order of an acquisition and the release before it, and what it costs in
 * commands. Answers of the server are held until both requests are there.
 */
class RedisOrderTests {

	private static final Duration LEASE = Duration.ofMinutes(1);

	private static final Pattern CALLS = Pattern.compile("cmdstat_(\\w+):calls=(\\d+),.*");

	private static final LockRequest TRY = LockRequest.exclusive("stock").withWaitTime(Duration.ZERO);

	private static RedisServer server;

	private final RedisInstances instances = new RedisInstances(LEASE);

	private LeaseLockProvider instance;

	private TcpProxy proxy;

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
	void startInstance() {
		server.command("FLUSHALL");
		this.instance = this.instances.startBehindProxy(server);
		this.proxy = this.instances.proxyOf(this.instance);
	}

	@AfterEach
	void close() {
		this.proxy.heal();
		this.instances.close();
	}

	private static LockAttempt begin(LockProvider instance, LockRequest request) {
		return instance.attempt(request, LockCaller.current());
	}

	private static Optional<LockGrant> answer(LockAttempt attempt) throws Exception {
		return attempt.outcome().get(60, TimeUnit.SECONDS);
	}

	/** Release a lock, and try it again before the release is answered. */
	private LockAttempt releaseAndTry(LockGrant grant, LockRequest request) {
		server.command("CONFIG", "RESETSTAT");
		this.proxy.holdReplies();
		grant.release();
		LockAttempt attempt = begin(this.instance, request);
		await().until(() -> calls("evalsha") == 2);
		assertThat(attempt.outcome()).isNotDone();
		this.proxy.heal();
		return attempt;
	}

	private static int calls(String command) {
		return server.command("INFO", "commandstats")
			.stream()
			.map(CALLS::matcher)
			.filter((line) -> line.matches() && line.group(1).equals(command))
			.map((Matcher line) -> Integer.parseInt(line.group(2)))
			.findFirst()
			.orElse(0);
	}

	@Test
	void tryIsSentBehindTheReleaseAndGrantedAtOnce() throws Exception {
		answer(begin(this.instance, TRY)).orElseThrow().release().get(60, TimeUnit.SECONDS);
		LockGrant grant = answer(begin(this.instance, TRY)).orElseThrow();
		assertThat(answer(releaseAndTry(grant, TRY))).isPresent();
		assertThat(calls("evalsha")).isEqualTo(2);
		assertThat(calls("eval")).isZero();
	}

	@Test
	void scriptsThatTheServerHasForgottenKeepTheirOrder() throws Exception {
		LockGrant grant = answer(begin(this.instance, TRY)).orElseThrow();
		server.command("SCRIPT", "FLUSH");
		assertThat(answer(releaseAndTry(grant, TRY))).isPresent();
		assertThat(calls("evalsha")).isEqualTo(2);
		assertThat(calls("eval")).isEqualTo(2);
	}

	@Test
	void tryThatOvertakesAForgottenReleaseAsksAgain() throws Exception {
		LockGrant grant = answer(begin(this.instance, TRY)).orElseThrow();
		forgetRelease();
		LockGrant next = answer(releaseAndTry(grant, TRY)).orElseThrow();
		assertThat(next.fencingToken()).isGreaterThan(grant.fencingToken());
		assertThat(next.contended()).isFalse();
		assertThat(calls("evalsha")).isEqualTo(3);
		assertThat(calls("eval")).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "permits", "readers" })
	void tryThatOvertakesAForgottenReleaseAsksAgainBesideOtherHolders(String name) throws Exception {
		boolean permits = name.equals("permits");
		LockRequest request = (permits ? LockRequest.semaphore(name, 2) : LockRequest.exclusive(name))
			.withWaitTime(Duration.ZERO);
		LockRequest held = permits ? request : LockRequest.shared(name).withWaitTime(Duration.ZERO);
		LockGrant grant = answer(begin(this.instance, held)).orElseThrow();
		LockGrant other = answer(begin(this.instances.start(server), held)).orElseThrow();
		assertThat(other.fencingToken()).isGreaterThan(grant.fencingToken());
		forgetRelease();
		assertThat(answer(releaseAndTry(grant, request)).isPresent()).isEqualTo(permits);
		assertThat(calls("evalsha")).isEqualTo(3);
	}

	@Test
	void attemptThatOvertakesAForgottenReleaseIsGranted() throws Exception {
		LockGrant grant = answer(begin(this.instance, TRY)).orElseThrow();
		forgetRelease();
		assertThat(answer(releaseAndTry(grant, LockRequest.exclusive("stock")))).isPresent();
		assertThat(calls("evalsha")).isEqualTo(3);
	}

	private static void forgetRelease() {
		server.command("SCRIPT", "FLUSH");
		server.command("SCRIPT", "LOAD", LeaseScripts.ACQUIRE.getScriptAsString());
	}

	@Test
	void tryIsRefusedForAHolderOfAnotherInstance() throws Exception {
		LockGrant grant = answer(begin(this.instance, TRY)).orElseThrow();
		LockAttempt waiting = begin(this.instances.start(server), LockRequest.exclusive("stock"));
		await().until(() -> RedisInstances.contenders(server, "stock") == 2);
		grant.release();
		assertThat(answer(begin(this.instance, TRY))).isEmpty();
		assertThat(answer(waiting)).isPresent();
	}

	@Test
	void orderIsKeptOnOpenConnectionThatIsShared() {
		RedisLeaseStore store = this.instances.store(RedisInstances.server(server.port()));
		assertThat(store.keepsOrder()).isFalse();
		ask(store);
		assertThat(store.keepsOrder()).isTrue();
		LettuceConnectionFactory endless = new LettuceConnectionFactory(RedisInstances.server(server.port()),
				LettuceClientConfiguration.builder()
					.clientOptions(ClientOptions.builder()
						.timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
						.build())
					.build());
		endless.afterPropertiesSet();
		endless.start();
		try {
			RedisLeaseStore blocking = new RedisLeaseStore(endless,
					new RedisLeaseStoreSettings("interlock:", Duration.ZERO));
			ask(blocking);
			assertThat(blocking.keepsOrder()).isFalse();
		}
		finally {
			endless.destroy();
		}
	}

	private static void ask(RedisLeaseStore store) {
		LeaseContender contender = new LeaseContender("asking", "test", new LockId("stock", null), LockMode.EXCLUSIVE,
				1, false);
		assertThat(store.isHeld(contender, Runnable::run).toCompletableFuture().join()).isFalse();
	}

}
