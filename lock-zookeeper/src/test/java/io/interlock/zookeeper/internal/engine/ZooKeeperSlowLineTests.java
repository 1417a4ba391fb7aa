package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.interlock.LockHandle;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.queue.QueueSettings;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What callers are told whose line to ZooKeeper is slow, while another instance holds the
 * lock, and what they are told when the line is dead.
 */
@ExtendWith(SharedServer.class)
class ZooKeeperSlowLineTests {

	private static final LockRequest STOCK = LockRequest.exclusive("slow-line");

	private static final Duration SHORTER_THAN_AN_ANSWER = Duration.ofMillis(100);

	private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(15);

	/** How long silence may be told as contention, as the guarantees say. */
	private static final Duration LONGEST_SILENCE = SESSION_TIMEOUT.dividedBy(6);

	private final ZooKeeperProxy line;

	private final Instance holder;

	private final Instance instance;

	private final LockHandle held;

	ZooKeeperSlowLineTests(LocalServer server) {
		this.line = ZooKeeperProxy.to(server.port());
		this.holder = Instance.connectedTo(server.connectString());
		this.held = this.holder.template().acquire(STOCK);
		this.instance = Instance.queueing(this.line.connectString(), SESSION_TIMEOUT, QueueSettings.defaults());
	}

	@BeforeEach
	void slowDown() {
		this.instance.template().acquire(LockRequest.exclusive("connected")).close();
		this.line.delay(Duration.ofMillis(100));
	}

	@AfterEach
	void stop() {
		this.line.heal();
		this.held.close();
		this.holder.close();
		this.instance.close();
		this.line.close();
	}

	private CompletableFuture<Class<?>> refusal(Duration wait) {
		return this.instance.template()
			.acquireAsync(STOCK.withWaitTime(wait))
			.handle((lock, failure) -> (failure != null) ? failure.getClass() : lock.getClass());
	}

	private List<Class<?>> refusals(int waits, Duration wait) {
		return IntStream.range(0, waits)
			.<CompletableFuture<Class<?>>>mapToObj((i) -> refusal(wait))
			.toList()
			.stream()
			.<Class<?>>map(CompletableFuture::join)
			.toList();
	}

	private List<Class<?>> refusalsInARow(int waits, Duration wait) throws Exception {
		List<Class<?>> refused = new ArrayList<>();
		for (int i = 0; i < waits; i++) {
			refused.add(refusal(wait).get(30, TimeUnit.SECONDS));
		}
		return refused;
	}

	@Test
	void contentionOnASlowLineIsNoOutage() throws Exception {
		assertThat(refusals(10, Duration.ofSeconds(2))).containsOnly(LockNotAcquiredException.class);
		assertThat(refusalsInARow(5, SHORTER_THAN_AN_ANSWER)).containsOnly(LockNotAcquiredException.class);
	}

	@Deep
	@Test
	void manyWaitsOnASlowLineAreContentionAndOnADeadLineNoneIs() throws Exception {
		List<CompletableFuture<Class<?>>> waits = IntStream.range(0, 46)
			.<CompletableFuture<Class<?>>>mapToObj((i) -> refusal(Duration.ofMillis(2000 + i * 65)))
			.toList();
		assertThat(waits).extracting(CompletableFuture::join).containsOnly(LockNotAcquiredException.class);
		assertThat(refusalsInARow(198, SHORTER_THAN_AN_ANSWER)).containsOnly(LockNotAcquiredException.class);
		this.line.blackHole();
		assertThat(refusals(10, LONGEST_SILENCE.plusSeconds(1))).containsOnly(LockServiceUnavailableException.class);
		assertThat(refusalsInARow(5, SHORTER_THAN_AN_ANSWER)).containsOnly(LockServiceUnavailableException.class);
	}

}
