package io.interlock.faults;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.interlock.LockRequest;
import io.interlock.faults.check.Distribution;
import io.interlock.faults.worker.Held;
import io.interlock.faults.worker.HolderApplication;
import io.interlock.faults.worker.InterlockLocks;
import io.interlock.queue.QueueSettings;
import io.interlock.testsupport.process.JavaProcess;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.server.Ensemble;
import io.interlock.testsupport.server.ServerSettings;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * From the signal that ends an application to the next holder of its lock.
 * {@code -Dfaults.trials} tries more often.
 */
class TakeoverIT {

	private static final Duration SESSION = Duration.ofSeconds(30);

	private static final Duration START_TIMEOUT = Duration.ofMinutes(1);

	private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(2);

	private static final Duration ENDS_SOON = Duration.ofMillis(100);

	private static final Duration HOLDS_ON = Duration.ofMinutes(10);

	private static Ensemble ensemble;

	private static InterlockLocks next;

	@BeforeAll
	static void start() {
		ensemble = Ensemble.linked(ServerSettings.quick().withTickTime(Duration.ofMillis(2000)).withSyncLimit(5));
		next = new InterlockLocks(ensemble.connectString(), SESSION, QueueSettings.defaults());
	}

	@AfterAll
	static void stop() {
		next.close();
		ensemble.close();
	}

	@Test
	@Proves(value = Promise.SHUTDOWN, under = Fault.THE_APPLICATION_STOPS, note = "by SIGTERM, and kill -9 beside it")
	void nextInstanceTakesOverLongBeforeTheSessionEnds() throws Exception {
		int trials = Integer.getInteger("faults.trials", 10);
		CompletableFuture<Distribution> killed = CompletableFuture.supplyAsync(
				() -> takeovers("killed", 1, HOLDS_ON, JavaProcess::close), (task) -> new Thread(task).start());
		Distribution ending = takeovers("ending", trials, ENDS_SOON, JavaProcess::terminate);
		Distribution holding = takeovers("holding", 3, HOLDS_ON, JavaProcess::terminate);
		String table = """
				| Holder | from the signal to the next holder: p50 | max | n |
				|---|---|---|---|
				""" + row("SIGTERM, its body ends after %d ms".formatted(ENDS_SOON.toMillis()), ending)
				+ row("SIGTERM, its body holds on, `interlock.shutdown-timeout` %d s"
					.formatted(SHUTDOWN_TIMEOUT.toSeconds()), holding)
				+ row("kill -9, session timeout %d s".formatted(SESSION.toSeconds()), killed.join());
		Figures.publish("takeover", table, "");
		assertThat(ending.quantile(1)).isLessThan(2000);
		assertThat(holding.quantile(1)).isBetween((double) SHUTDOWN_TIMEOUT.toMillis(),
				(double) SHUTDOWN_TIMEOUT.plusSeconds(2).toMillis());
		assertThat(killed.join().quantile(0)).as("kill -9").isGreaterThan(SESSION.toMillis() / 2);
	}

	private static String row(String holder, Distribution millis) {
		return "| %s | %.0f ms | %.0f ms | %d |%n".formatted(holder, millis.quantile(0.5), millis.quantile(1),
				millis.size());
	}

	private static Distribution takeovers(String lock, int trials, Duration ending, Consumer<JavaProcess> signal) {
		List<Double> millis = new ArrayList<>();
		for (int i = 0; i < trials; i++) {
			try {
				millis.add(takeover(lock, ending, signal));
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
		}
		return new Distribution(millis.stream().mapToDouble(Double::doubleValue).toArray());
	}

	private static double takeover(String lock, Duration ending, Consumer<JavaProcess> signal) throws IOException {
		try (JavaProcess application = JavaProcess.start(HolderApplication.class,
				Figures.logs("takeover").resolve(lock + ".log"), JavaProcess.quickStart("96m"),
				arguments(lock, ending))) {
			assertThat(application.await(HolderApplication.HELD, START_TIMEOUT)).isEmpty();
			CompletableFuture<Long> granted = CompletableFuture.supplyAsync(() -> takeOver(lock),
					(task) -> new Thread(task).start());
			Awaitility.await().until(() -> next.client().getChildren().forPath("/interlock/" + lock).size() == 2);
			long signalled = System.nanoTime();
			signal.accept(application);
			return (granted.join() - signalled) / 1e6;
		}
	}

	private static long takeOver(String lock) {
		Held held = next.acquire(lock, false, LockRequest.FOREVER).held();
		long at = System.nanoTime();
		assertThat(held).isNotNull();
		held.close();
		return at;
	}

	private static List<String> arguments(String lock, Duration ending) {
		return List.of("--interlock.provider=zookeeper",
				"--interlock.zookeeper.connect-string=" + ensemble.connectString(),
				"--interlock.zookeeper.session-timeout=" + SESSION, "--interlock.shutdown-timeout=" + SHUTDOWN_TIMEOUT,
				"--job.lock=" + lock, "--job.ending=" + ending);
	}

}
