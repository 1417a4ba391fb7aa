package io.interlock.redis.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.proxy.Ports;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.redis.RedisServer;
import io.interlock.testsupport.thread.Background;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what an application with locks in Redis says when it starts.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisStartupTests {

	private static final Log logger = LogFactory.getLog(RedisStartupTests.class);

	private static RedisServer server;

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(RedisLockAutoConfiguration.class, InterlockAutoConfiguration.class,
				DataRedisAutoConfiguration.class))
		.withPropertyValues("interlock.provider=redis", "spring.data.redis.host=127.0.0.1");

	@BeforeAll
	static void startServer() {
		server = RedisServer.start();
		server.command("ACL", "SETUSER", "app", "on", ">right-secret", "~interlock:*", "&*", "+@all", "-hdel");
	}

	@AfterAll
	static void stopServer() {
		if (server != null) {
			server.close();
		}
	}

	private ApplicationContextRunner waiting(int port, String timeout) {
		return this.contextRunner.withPropertyValues("spring.data.redis.port=" + port,
				"interlock.startup-timeout=" + timeout);
	}

	@Test
	void startSaysWhereTheLocksAre(CapturedOutput output) {
		waiting(server.port(), "10s").run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsPattern("INFO .*Locks are kept in Redis at '127.0.0.1:" + server.port()
				+ "' \\(keys that begin with interlock:\\). Supported: ");
	}

	@Test
	void stopSaysWhichLocksOutliveIt(CapturedOutput output) {
		waiting(server.port(), "10s").run((context) -> context.getBean(LockTemplate.class)
			.acquire(LockRequest.exclusive("report").withMinHold(Duration.ofMinutes(15)))
			.close());
		assertThat(output).containsOnlyOnce("stay held after this instance has stopped: 1, report until ");
	}

	@Test
	void checkLeavesNothingBehind() {
		server.command("FLUSHALL");
		waiting(server.port(), "10s").run((context) -> assertThat(server.command("KEYS", "*")).isEmpty());
	}

	@Test
	void serverThatIsNotThereFailsTheStart() {
		int port = Ports.free();
		waiting(port, "1s").run((context) -> {
			FailureAnalysis analysis = analysis(context);
			assertThat(analysis.getDescription())
				.startsWith("Redis at '127.0.0.1:" + port
						+ "' cannot be used for locks within the startup timeout of 1000 ms: ")
				.contains("refused");
			assertThat(analysis.getAction()).contains("Start Redis there")
				.contains("spring.data.redis.host")
				.contains("interlock.startup-timeout=0");
		});
	}

	@Test
	void missingReplicaFailsTheStart() {
		waiting(server.port(), "3s")
			.withPropertyValues("interlock.redis.wait-replicas=2", "interlock.redis.wait-replicas-timeout=100ms")
			.run((context) -> {
				FailureAnalysis analysis = analysis(context);
				assertThat(analysis.getDescription()).startsWith("Redis at '127.0.0.1:" + server.port())
					.contains("0 of 2 replicas confirmed the lock within 100 ms (interlock.redis.wait-replicas");
				assertThat(analysis.getAction()).doesNotContain("Start Redis there")
					.contains("INFO replication")
					.contains("connect 2 replicas")
					.contains("interlock.redis.wait-replicas")
					.contains("interlock.redis.wait-replicas-timeout")
					.contains("interlock.startup-timeout=0");
			});
	}

	@Test
	void silentServerFailsTheStart() {
		try (TcpProxy proxy = TcpProxy.to(server.port())) {
			proxy.blackHole();
			waiting(proxy.port(), "1s").run((context) -> assertThat(analysis(context).getDescription())
				.endsWith("within the startup timeout of 1000 ms: it does not answer."));
		}
	}

	@Test
	void theFirstTryWaitsForItsConnection() {
		try (TcpProxy proxy = TcpProxy.to(server.port())) {
			proxy.blackHole();
			waiting(proxy.port(), "0s").withPropertyValues("interlock.try-timeout=100ms").run((context) -> {
				LockTemplate template = context.getBean(LockTemplate.class);
				HeldLocks heldLocks = context.getBean(HeldLocks.class);
				Background<Optional<LockHandle>> job = Background
					.start(() -> template.tryAcquire(LockRequest.exclusive("report")));
				await().until(() -> !job.isRunning() || heldLocks.waiting()
					.stream()
					.anyMatch((each) -> each.since().isBefore(Instant.now().minus(Duration.ofMillis(1200)))));
				proxy.heal();
				assertThat(job.join()).isPresent();
			});
		}
	}

	@Test
	void wrongPasswordFailsTheStart() {
		waiting(server.port(), "10s")
			.withPropertyValues("spring.data.redis.username=app", "spring.data.redis.password=wrong-secret")
			.run((context) -> {
				FailureAnalysis analysis = analysis(context);
				assertThat(analysis.getDescription()).contains("127.0.0.1:" + server.port())
					.contains("does not accept the user or the password")
					.doesNotContain("wrong-secret");
				assertThat(analysis.getAction()).contains("spring.data.redis.password");
			});
	}

	@Test
	void missingPermissionFailsTheStartAndLeavesNothingBehind() {
		server.command("FLUSHALL");
		waiting(server.port(), "10s")
			.withPropertyValues("spring.data.redis.username=app", "spring.data.redis.password=right-secret")
			.run((context) -> {
				FailureAnalysis analysis = analysis(context);
				assertThat(analysis.getDescription()).contains("lacks permissions that locks need");
				assertThat(analysis.getAction()).contains("HDEL").contains("interlock.redis.key-prefix");
			});
		await().untilAsserted(() -> assertThat(server.command("KEYS", "*")).isEmpty());
	}

	@Test
	void missingPermissionIsAnErrorOfTheStartThatDoesNotWait(CapturedOutput output) {
		waiting(server.port(), "0s")
			.withPropertyValues("spring.data.redis.username=app", "spring.data.redis.password=right-secret")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				await().untilAsserted(() -> assertThat(output)
					.containsPattern("ERROR .*lacks permissions that locks need.*Allow it"));
			});
	}

	@Test
	void startThatDoesNotWaitSaysWhenTheServerIsThere(CapturedOutput output) {
		try (TcpProxy proxy = TcpProxy.to(server.port())) {
			proxy.refuse();
			waiting(proxy.port(), "0s").run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(output).doesNotContain("Supported: ");
				proxy.heal();
				await().untilAsserted(() -> assertThat(output).contains("Supported: "));
				context.getBean(LockTemplate.class).acquire(LockRequest.exclusive("stock")).close();
			});
		}
	}

	private static FailureAnalysis analysis(AssertableApplicationContext context) {
		Throwable failure = context.getStartupFailure();
		ArgumentResolver arguments = ArgumentResolver.of(BeanFactory.class, new DefaultListableBeanFactory())
			.and(Environment.class, new MockEnvironment());
		return SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, arguments, FailureHandler.logging(logger))
			.stream()
			.map((analyzer) -> analyzer.analyze(failure))
			.filter(Objects::nonNull)
			.findFirst()
			.orElseThrow();
	}

}
