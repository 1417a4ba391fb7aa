package io.interlock.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.provider.LockCaller;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.postgres.PostgresServer;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What callers are told whose line to PostgreSQL is slow, while another instance holds
 * the lock, and what they are told when the line is dead.
 */
class PostgresSlowLineTests {

	private static final LockRequest STOCK = LockRequest.exclusive("stock");

	private static final Duration SHORTER_THAN_AN_ANSWER = Duration.ofMillis(100);

	private static final Duration LEASE = Duration.ofSeconds(15);

	private final PostgresServer server = PostgresServer.start();

	private final TcpProxy line = TcpProxy.to(portOf(this.server.url()));

	private final JdbcInstances others = new JdbcInstances(LockDatabase.POSTGRESQL, this.server.url(), LEASE, 4);

	private final JdbcInstances instances = new JdbcInstances(LockDatabase.POSTGRESQL,
			this.server.url().replace(":" + portOf(this.server.url()) + "/", ":" + this.line.port() + "/"), LEASE, 16);

	private LockTemplate template;

	private static int portOf(String url) {
		return Integer.parseInt(url.replaceFirst("^.*:(\\d+)/.*$", "$1"));
	}

	@BeforeEach
	void holdInAnotherInstance() throws Exception {
		this.others.createTables();
		this.template = new LockTemplate(this.instances.start());
		this.others.start().attempt(STOCK, LockCaller.current()).outcome().get(30, TimeUnit.SECONDS).orElseThrow();
		this.line.delay(Duration.ofMillis(100));
		// Nothing is known of the lock before its first answer.
		refusal(Duration.ofSeconds(2)).get(30, TimeUnit.SECONDS);
	}

	@AfterEach
	void stop() {
		this.line.heal();
		this.instances.close();
		this.others.close();
		this.line.close();
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

	/** Four threads ask, and each question takes most of a second. */
	@Test
	void contentionOnASlowLineIsNoOutage() throws Exception {
		assertThat(refusals(4, Duration.ofSeconds(2))).containsOnly(LockNotAcquiredException.class);
		assertThat(refusals(10, Duration.ofSeconds(5))).containsOnly(LockNotAcquiredException.class);
		assertThat(refusalsInARow(5, SHORTER_THAN_AN_ANSWER)).containsOnly(LockNotAcquiredException.class);
	}

	@Deep
	@Test
	void manyWaitsOnASlowLineAreContentionAndOnADeadLineNoneIs() throws Exception {
		List<CompletableFuture<Class<?>>> waits = IntStream.range(0, 46)
			.<CompletableFuture<Class<?>>>mapToObj((i) -> refusal(Duration.ofMillis(2000 + i * 65)))
			.toList();
		assertThat(waits).extracting(CompletableFuture::join).containsOnly(LockNotAcquiredException.class);
		this.line.blackHole();
		// Silence may be told as contention for a third of a lease.
		assertThat(refusals(10, LEASE.dividedBy(3).plusSeconds(2))).containsOnly(LockServiceUnavailableException.class);
	}

	@Deep
	@Test
	void waitsThatAreShorterThanAnAnswerAreContention() throws Exception {
		assertThat(refusalsInARow(198, SHORTER_THAN_AN_ANSWER)).containsOnly(LockNotAcquiredException.class);
	}

	@Deep
	@Test
	void triesOfManyThreadsOnASlowLineAreContention() {
		List<CompletableFuture<List<Class<?>>>> threads = IntStream.range(0, 4)
			.<CompletableFuture<List<Class<?>>>>mapToObj((i) -> CompletableFuture.supplyAsync(() -> tries(12)))
			.toList();
		List<Class<?>> refused = threads.stream().flatMap((thread) -> thread.join().stream()).toList();
		assertThat(refused).hasSize(48).containsOnly(LockNotAcquiredException.class);
	}

	private List<Class<?>> tries(int times) {
		return IntStream.range(0, times).<Class<?>>mapToObj((i) -> refusal(Duration.ZERO).join()).toList();
	}

	/** No other instance wants the lock. */
	@Deep
	@Test
	void triesOfManyThreadsOnAFreeLockAreAnsweredOnASlowLine() {
		LockRequest free = LockRequest.exclusive("free");
		end(free.withWaitTime(Duration.ofSeconds(5)));
		List<CompletableFuture<List<Object>>> threads = IntStream.range(0, 8)
			.<CompletableFuture<List<Object>>>mapToObj((i) -> CompletableFuture
				.supplyAsync(() -> Stream.generate(() -> end(free.withWaitTime(Duration.ZERO))).limit(15).toList()))
			.toList();
		List<Object> ends = threads.stream().flatMap((thread) -> thread.join().stream()).toList();
		assertThat(ends).hasSize(120).doesNotContain(LockServiceUnavailableException.class);
		assertThat(ends.stream().filter((end) -> !end.equals(LockNotAcquiredException.class))).isNotEmpty();
	}

	@Deep
	@Test
	void callersWithShortWaitsGetAFreeLockOnASlowLine() {
		LockRequest free = LockRequest.exclusive("free").withWaitTime(SHORTER_THAN_AN_ANSWER);
		List<Object> refused = Stream.generate(() -> end(free)).limit(600).takeWhile(Class.class::isInstance).toList();
		assertThat(refused).hasSizeLessThan(600).containsOnly(LockServiceUnavailableException.class);
	}

	/** Ten round trips would take four seconds. */
	@Deep
	@Test
	void nameThatTheDatabaseDoesNotKnowTakesFewRoundTrips() {
		this.line.delay(Duration.ofMillis(200));
		assertThat(ends("connects", Duration.ofSeconds(30))).noneMatch(Class.class::isInstance);
		assertThat(ends("new", Duration.ofSeconds(3))).noneMatch(Class.class::isInstance);
	}

	private List<Object> ends(String name, Duration wait) {
		return IntStream.range(0, 5)
			.mapToObj((key) -> end(LockRequest.exclusive(name).withKey(key).withWaitTime(wait)))
			.toList();
	}

	/** Return the handle of a lock that was released, or the class of the failure. */
	private Object end(LockRequest request) {
		return this.template.acquireAsync(request).<Object>handle((lock, failure) -> {
			if (lock == null) {
				return failure.getClass();
			}
			lock.close();
			return lock;
		}).toCompletableFuture().join();
	}

}
