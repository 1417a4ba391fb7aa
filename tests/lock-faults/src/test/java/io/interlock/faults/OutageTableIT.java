package io.interlock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.interlock.LockRequest;
import io.interlock.faults.check.Distribution;
import io.interlock.faults.check.Outcome;
import io.interlock.faults.time.Lapse;
import io.interlock.faults.worker.Answer;
import io.interlock.faults.worker.Held;
import io.interlock.faults.worker.HiccupMeter;
import io.interlock.faults.worker.InterlockLocks;
import io.interlock.faults.worker.Locks;
import io.interlock.faults.worker.PlainCuratorLocks;
import io.interlock.queue.QueueSettings;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.server.Ensemble;
import io.interlock.testsupport.server.ServerSettings;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * By how much a wait of 100 ms is exceeded in an outage, beside plain Curator on its
 * default settings.
 */
class OutageTableIT {

	private static final Duration WAIT = Duration.ofMillis(100);

	private static final int THREADS = 20;

	private static final int ROUNDS = 50;

	private static final HiccupMeter HICCUPS = new HiccupMeter();

	private static Ensemble ensemble;

	@BeforeAll
	static void start() {
		ensemble = Ensemble.linked(ServerSettings.quick().withTickTime(Duration.ofMillis(2000)).withSyncLimit(5));
	}

	@AfterAll
	static void stop() {
		ensemble.close();
	}

	@Test
	@Proves(value = Promise.THE_DEADLINE, under = Fault.EVERY_OUTAGE,
			note = "servers stopped, packets swallowed, never connected, cut in mid-wait")
	void answersAtTheDeadlineInEveryOutage() throws Exception {
		Map<Outage, CompletableFuture<Long>> plain = new EnumMap<>(Outage.class);
		for (Outage outage : Outage.values()) {
			plain.put(outage, CompletableFuture.supplyAsync(() -> plainCurator(outage), (task) -> {
				Thread thread = new Thread(task, "plain-" + outage);
				thread.setDaemon(true);
				thread.start();
			}));
		}
		Map<Outage, Distribution> errors = new EnumMap<>(Outage.class);
		for (Outage outage : Outage.values()) {
			errors.put(outage, interlock(outage));
		}
		StringBuilder table = new StringBuilder("""
				| Outage | Interlock: p50 | p99 | p99.9 | max | n, without those set aside | plain Curator |
				|---|---|---|---|---|---|---|
				""");
		for (Outage outage : Outage.values()) {
			Distribution error = errors.get(outage);
			table.append("| %s | %.1f ms | %.1f ms | %.1f ms | %.1f ms | %d | %.1f s |%n".formatted(outage.text,
					error.quantile(0.5), error.quantile(0.99), error.quantile(0.999), error.quantile(1), error.size(),
					plain.get(outage).join() / 1e3));
		}
		Figures.publish("outages", table.toString(), "");
		assertThat(errors).allSatisfy((outage, error) -> assertThat(error.quantile(0.99)).isLessThan(50));
		assertThat(plain).allSatisfy((outage, millis) -> assertThat(millis.join()).isGreaterThan(1000));
	}

	private static Distribution interlock(Outage outage) throws Exception {
		List<Double> errors = new ArrayList<>();
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);
		try (TcpProxy link = TcpProxy.to(ensemble.servers().get(0).clientPort());
				InterlockLocks blocker = new InterlockLocks(ensemble.connectString(), Duration.ofSeconds(30),
						QueueSettings.defaults())) {
			Held held = blocker.acquire("outage", false, LockRequest.FOREVER).held();
			if (outage == Outage.NEVER_CONNECTED) {
				link.refuse();
			}
			try (InterlockLocks locks = new InterlockLocks(link.connectString(), Duration.ofSeconds(30),
					QueueSettings.defaults())) {
				if (outage != Outage.NEVER_CONNECTED) {
					connect(locks);
				}
				if (!outage.midWait) {
					outage.begin(link);
				}
				for (int round = 0; round < ROUNDS; round++) {
					List<Future<Double>> waits = new ArrayList<>();
					for (int thread = 0; thread < THREADS; thread++) {
						waits.add(threads.submit(() -> error(locks)));
					}
					if (outage.midWait) {
						Lapse.of(WAIT.dividedBy(2));
						outage.begin(link);
					}
					for (Future<Double> wait : waits) {
						errors.add(wait.get());
					}
					if (outage.midWait) {
						link.heal();
						connect(locks);
					}
				}
				link.heal();
			}
			if (held != null) {
				held.close();
			}
		}
		finally {
			threads.shutdownNow();
		}
		return new Distribution(errors.stream()
			.skip(THREADS)
			.mapToDouble(Double::doubleValue)
			.filter((error) -> !Double.isNaN(error))
			.toArray());
	}

	/**
	 * One wait, set aside if this process stood still meanwhile.
	 */
	private static double error(Locks locks) {
		long startedAt = System.nanoTime();
		Answer answer = locks.acquire("outage", false, WAIT);
		assertThat(answer.held()).isNull();
		long now = System.nanoTime();
		return (HICCUPS.stalled(startedAt, now) > 0) ? Double.NaN : (now - startedAt - WAIT.toNanos()) / 1e6;
	}

	private static void connect(Locks locks) {
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.until(() -> locks.acquire("outage", false, WAIT).outcome() == Outcome.CONTENDED);
	}

	/**
	 * One call of plain Curator, at the instant of the outage.
	 */
	private static long plainCurator(Outage outage) {
		try (TcpProxy link = TcpProxy.to(ensemble.servers().get(1).clientPort())) {
			if (outage == Outage.NEVER_CONNECTED) {
				link.refuse();
			}
			// The session and connection timeouts that Curator has by default.
			try (PlainCuratorLocks locks = new PlainCuratorLocks(link.connectString(), Duration.ofSeconds(60));
					PlainCuratorLocks blocker = new PlainCuratorLocks(ensemble.connectString(),
							Duration.ofSeconds(60))) {
				blocker.acquire("outage-" + outage, false, Duration.ofSeconds(30));
				if (outage != Outage.NEVER_CONNECTED) {
					locks.acquire("outage-" + outage, false, Duration.ofSeconds(1));
				}
				long startedAt = System.nanoTime();
				CompletableFuture<Answer> answer = CompletableFuture.supplyAsync(
						() -> locks.acquire("outage-" + outage, false, WAIT), (task) -> new Thread(task).start());
				if (outage.midWait) {
					Lapse.of(WAIT.dividedBy(2));
				}
				outage.begin(link);
				answer.join();
				long millis = (System.nanoTime() - startedAt - WAIT.toNanos()) / 1_000_000;
				link.heal();
				return millis;
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * What is wrong with the network.
	 */
	private enum Outage {

		STOPPED("servers stopped", false), VANISHING("packets vanish", false),
		NEVER_CONNECTED("never connected", false), CUT("cut in mid-wait", true);

		private final String text;

		private final boolean midWait;

		Outage(String text, boolean midWait) {
			this.text = text;
			this.midWait = midWait;
		}

		void begin(TcpProxy link) {
			if (this == STOPPED || this == NEVER_CONNECTED) {
				link.refuse();
			}
			else {
				link.blackHole();
			}
		}

	}

}
