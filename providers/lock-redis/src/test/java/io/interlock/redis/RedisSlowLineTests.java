package io.interlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.provider.LockCaller;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.redis.RedisServer;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What callers are told whose line to Redis is slow, while another instance holds the
 * lock, and what they are told when the line is dead.
 */
class RedisSlowLineTests {

	private static final LockRequest STOCK = LockRequest.exclusive("stock");

	private static final Duration SHORTER_THAN_AN_ANSWER = Duration.ofMillis(100);

	private final RedisServer server = RedisServer.start();

	private final RedisInstances instances = new RedisInstances(Duration.ofSeconds(15));

	private LockTemplate template;

	private TcpProxy line;

	@BeforeEach
	void holdInAnotherInstance() throws Exception {
		LeaseLockProvider behindLine = this.instances.startBehindProxy(this.server);
		this.template = new LockTemplate(behindLine);
		this.line = this.instances.proxyOf(behindLine);
		this.instances.start(this.server)
			.attempt(STOCK, LockCaller.current())
			.outcome()
			.get(30, TimeUnit.SECONDS)
			.orElseThrow();
		this.line.delay(Duration.ofMillis(100));
	}

	@AfterEach
	void stop() {
		this.instances.close();
		this.server.close();
	}

	private CompletableFuture<Class<?>> refusal(Duration wait) {
		return this.template.acquireAsync(STOCK.withWaitTime(wait))
			.handle((lock, failure) -> (failure != null) ? failure.getClass() : lock.getClass());
	}

	private List<Class<?>> refusals(int waits, Duration wait) throws Exception {
		List<CompletableFuture<Class<?>>> begun = new ArrayList<>();
		for (int i = 0; i < waits; i++) {
			begun.add(refusal(wait));
		}
		return begun.stream().<Class<?>>map(CompletableFuture::join).toList();
	}

	private List<Class<?>> refusalsInARow(int waits, Duration wait) throws Exception {
		List<Class<?>> refused = new ArrayList<>();
		for (int i = 0; i < waits; i++) {
			refused.add(refusal(wait).get(30, TimeUnit.SECONDS));
		}
		return refused;
	}

	@Test
	void contentionOnASlowLineIsNoOutageAndADeadLineIsOne() throws Exception {
		assertThat(refusals(10, Duration.ofSeconds(2))).containsOnly(LockNotAcquiredException.class);
		assertThat(refusalsInARow(5, SHORTER_THAN_AN_ANSWER)).containsOnly(LockNotAcquiredException.class);
		this.line.blackHole();
		assertThat(refusals(10, Duration.ofSeconds(2))).containsOnly(LockServiceUnavailableException.class);
	}

	@Deep
	@Test
	void manyWaitsOnASlowLineAreContention() throws Exception {
		List<CompletableFuture<Class<?>>> waits = IntStream.range(0, 46)
			.<CompletableFuture<Class<?>>>mapToObj((i) -> refusal(Duration.ofMillis(2000 + i * 65)))
			.toList();
		assertThat(waits).extracting(CompletableFuture::join).containsOnly(LockNotAcquiredException.class);
		assertThat(refusalsInARow(198, SHORTER_THAN_AN_ANSWER)).containsOnly(LockNotAcquiredException.class);
	}

}
