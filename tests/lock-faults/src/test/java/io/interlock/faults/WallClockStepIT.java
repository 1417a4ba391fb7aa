package io.interlock.faults;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.interlock.LockRequest;
import io.interlock.faults.check.Outcome;
import io.interlock.faults.time.Lapse;
import io.interlock.faults.time.WallClock;
import io.interlock.faults.worker.Held;
import io.interlock.faults.worker.InterlockLocks;
import io.interlock.faults.worker.WatchedHolder;
import io.interlock.queue.QueueSettings;
import io.interlock.testsupport.process.JavaProcess;
import io.interlock.testsupport.process.Surroundings;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.server.Server;
import io.interlock.testsupport.server.ServerSettings;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A process whose wall clock is set an hour back or forth while a caller waits, while its
 * client retries its connection, and while it holds a lock: deadlines, the lease and
 * losses go by another clock.
 */
class WallClockStepIT {

	private static final Duration SESSION = Duration.ofSeconds(6);

	private static final Duration WAIT = Duration.ofSeconds(3);

	private static final Duration TOLERANCE = Duration.ofMillis(300);

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	private static final String KEY = "wall-clock";

	private static final Set<String> waits = new TreeSet<>();

	private static final Set<String> holds = new TreeSet<>();

	private static Server server;

	private WallClock clock;

	private TcpProxy link;

	private InterlockLocks other;

	private JavaProcess process;

	@BeforeAll
	static void startServer(@TempDir Path directory) {
		assumeTrue(WallClock.isAvailable(), WallClock::missing);
		server = Server.standalone(directory, ServerSettings.quick());
	}

	@AfterAll
	static void stopServer() {
		if (server == null) {
			return;
		}
		server.close();
		Figures.publish("wall-clock-step",
				"""
						| Wall clock set | a wait of 3 s for a lock that is held | and in an outage | acquired after the outage |
						|---|---|---|---|
						"""
						+ String.join("", waits),
				"""

						| Connection | wall clock set | last `true` after the cut | told of the loss | next grant | acquired after the outage |
						|---|---|---|---|---|---|
						"""
						+ String.join("", holds));
	}

	@BeforeEach
	void start(@TempDir Path directory) throws Exception {
		this.clock = new WallClock(directory);
		this.link = TcpProxy.to(server.clientPort());
		this.other = new InterlockLocks(server.connectString(), SESSION, QueueSettings.defaults());
		this.process = JavaProcess.start(WatchedHolder.class, Figures.logs("wall-clock-step").resolve("holder.log"),
				JavaProcess.quickStart("96m"), List.of(this.link.connectString(), SESSION.toString()),
				Surroundings.usual().withEnvironment(this.clock.environment()));
		assertThat(ask("acquire warm PT20S")).startsWith(Outcome.ACQUIRED.name());
		assertThat(Duration.ofNanos(Long.parseLong(ask("park PT0.2S")))).as("a wait under libfaketime")
			.isBetween(Duration.ofMillis(190), Duration.ofMillis(1000));
	}

	@AfterEach
	void stop() {
		if (this.process != null) {
			this.process.close();
			WallClock.cleanUpAfter(this.process.pid());
			this.other.close();
			this.link.close();
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { -1, 1 })
	@Proves(value = Promise.THE_DEADLINE, under = Fault.THE_WALL_CLOCK_IS_SET)
	void callerIsAnsweredAtItsDeadline(int hours) throws Exception {
		Held held = this.other.acquire(KEY, false, LockRequest.FOREVER).held();
		assertThat(held).isNotNull();
		Duration contended = waitWhileTheClockIsSet(Outcome.CONTENDED, hours);
		this.clock.set(Duration.ZERO);
		held.close();
		this.link.refuse();
		Duration unavailable = waitWhileTheClockIsSet(Outcome.UNAVAILABLE, hours);
		this.link.heal();
		Duration back = acquireAgain();
		waits.add("| %+d h | %d ms | %d ms | %d ms |%n".formatted(hours, contended.toMillis(), unavailable.toMillis(),
				back.toMillis()));
		assertThat(contended).isBetween(WAIT, WAIT.plus(TOLERANCE));
		assertThat(unavailable).isBetween(WAIT, WAIT.plus(TOLERANCE));
	}

	private Duration waitWhileTheClockIsSet(Outcome outcome, int hours) throws Exception {
		CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> ask("acquire " + KEY + " " + WAIT));
		Lapse.of(WAIT.dividedBy(3));
		this.clock.set(Duration.ofHours(hours));
		String[] words = answer.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS).split(" ");
		assertThat(words[0]).isEqualTo(outcome.name());
		assertThatTheWallClockAloneIsSet(Duration.ofHours(hours));
		return Duration.ofNanos(Long.parseLong(words[1]));
	}

	@ParameterizedTest
	@CsvSource({ "-1, REFUSED", "1, REFUSED", "-1, SWALLOWED", "1, SWALLOWED" })
	@Proves(value = Promise.VALIDITY, under = Fault.THE_WALL_CLOCK_IS_SET)
	void holdEndsAndComesBackWithItsSession(int hours, Cut cut) throws Exception {
		assertThat(ask("hold " + KEY)).isEqualTo("held");
		cutAndSet(cut, hours);
		long healedAt = System.nanoTime();
		this.link.heal();
		Awaitility.await().until(() -> seen().lastValidAt() > healedAt);
		assertThat(seen().lostAt()).as("lost in an outage of a second").isEqualTo(WatchedHolder.NEVER);
		this.clock.set(Duration.ZERO);
		acquireAgain();
		long cutAt = cutAndSet(cut, hours);
		Held next = this.other.acquire(KEY, false, LockRequest.FOREVER).held();
		long grantedAt = System.nanoTime();
		Lapse.of(Duration.ofSeconds(1));
		Seen seen = seen();
		this.link.heal();
		assertThat(next).isNotNull();
		next.close();
		Duration back = acquireAgain();
		holds.add(
				"| %s | %+d h | %s | %s | %s | %d ms |%n".formatted(cut.title, hours, millis(cutAt, seen.lastValidAt()),
						millis(cutAt, seen.lostAt()), millis(cutAt, grantedAt), back.toMillis()));
		assertThat(seen.lastValidAt()).as("last true").isLessThan(grantedAt);
		assertThat(Duration.ofNanos(seen.lostAt() - cutAt)).as("told of the loss")
			.isBetween(SESSION.dividedBy(4).multipliedBy(3), SESSION);
	}

	private long cutAndSet(Cut cut, int hours) throws Exception {
		long cutAt = System.nanoTime();
		cut.action.accept(this.link);
		Lapse.of(Duration.ofMillis(500));
		this.clock.set(Duration.ofHours(hours));
		assertThatTheWallClockAloneIsSet(Duration.ofHours(hours));
		Lapse.of(Duration.ofMillis(500));
		return cutAt;
	}

	private void assertThatTheWallClockAloneIsSet(Duration ahead) {
		long nanosBefore = System.nanoTime();
		String[] times = ask("time").split(" ");
		assertThat(Duration.ofMillis(Long.parseLong(times[0]) - System.currentTimeMillis())).as("wall clock")
			.isBetween(ahead.minusSeconds(5), ahead.plusSeconds(5));
		assertThat(Long.parseLong(times[1])).as("monotonic clock").isBetween(nanosBefore, System.nanoTime());
	}

	private Duration acquireAgain() {
		String[] words = ask("acquire again PT20S").split(" ");
		assertThat(words[0]).isEqualTo(Outcome.ACQUIRED.name());
		return Duration.ofNanos(Long.parseLong(words[1]));
	}

	private Seen seen() {
		long[] times = Arrays.stream(ask("seen").split(" ")).mapToLong(Long::parseLong).toArray();
		return new Seen(times[0], times[1]);
	}

	private String ask(String line) {
		return this.process.ask(line, TIMEOUT);
	}

	private static String millis(long from, long to) {
		return (to != WatchedHolder.NEVER) ? (to - from) / 1_000_000 + " ms" : "never";
	}

	/**
	 * How the client is cut off: it retries its connection at once, or when it gives the
	 * present one up.
	 */
	enum Cut {

		REFUSED("refused", TcpProxy::refuse),

		SWALLOWED("swallowed", TcpProxy::blackHole);

		private final String title;

		private final Consumer<TcpProxy> action;

		Cut(String title, Consumer<TcpProxy> action) {
			this.title = title;
			this.action = action;
		}

	}

	/**
	 * What the holder has seen.
	 */
	private record Seen(long lastValidAt, long lostAt) {

	}

}
