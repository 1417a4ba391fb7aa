package io.interlock.benchmark.scenario;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.contestant.Locks;
import io.interlock.testsupport.process.JavaProcess;

/**
 * A contestant in a JVM of its own, which can be killed. A call that fails because of an
 * outage is repeated.
 */
final class FailOverClient implements AutoCloseable {

	/** A lock that no client keeps. */
	static final String FREE = "free";

	private static final String READY = "ready";

	private static final String GRANTED = "granted ";

	private static final String TRIED = "tried ";

	private static final Duration TIMEOUT = Duration.ofMinutes(3);

	private static final long NANOS_TO_REPEAT = TimeUnit.MILLISECONDS.toNanos(10);

	private final JavaProcess process;

	FailOverClient(Contestant contestant, String address, Duration lease, Site site) {
		this.process = JavaProcess.start(FailOverClient.class, site.directory().resolve("failover.log"),
				List.of("-Xmx128m"), List.of(contestant.name(), address, lease.toString()));
	}

	void awaitReady() {
		this.process.await(READY, TIMEOUT);
	}

	/**
	 * Hold a lock until the client ends.
	 */
	void hold(String key) {
		this.process.send("hold " + key);
		awaitGrant(key);
	}

	/**
	 * Begin to wait for a lock, which is released after its grant.
	 */
	void beginToLock(String key) {
		this.process.send("lock " + key);
	}

	void awaitGrant(String key) {
		this.process.await(GRANTED + key, TIMEOUT);
	}

	/**
	 * Return whether a lock can be had without waiting.
	 */
	boolean isGranted(String key) {
		this.process.send("try " + key);
		return Boolean.parseBoolean(this.process.await(TRIED, TIMEOUT));
	}

	@Override
	public void close() {
		this.process.close();
	}

	/**
	 * Run a client until its input ends. Its own lock, and the one that is asked for
	 * during the outage, have been used before.
	 * @param args contestant, address, lease
	 */
	public static void main(String[] args) throws Exception {
		BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		try (Locks locks = Contestant.valueOf(args[0]).connect(args[1], Duration.parse(args[2]))) {
			for (String key : List.of("own-" + ProcessHandle.current().pid(), FREE)) {
				locks.exclusively(key, () -> {
				});
			}
			System.out.println(READY);
			for (String line = commands.readLine(); line != null; line = commands.readLine()) {
				String[] command = line.split(" ");
				run(command[0], command[1], locks);
			}
			Runtime.getRuntime().halt(0);
		}
	}

	private static void run(String command, String key, Locks locks) {
		switch (command) {
			case "hold" -> inBackground(() -> locks.exclusively(key, () -> holdForEver(key)));
			case "lock" -> inBackground(() -> locks.exclusively(key, () -> System.out.println(GRANTED + key)));
			case "try" -> inBackground(() -> System.out.println(TRIED + locks.tryExclusively(key, () -> {
			})));
			default -> throw new IllegalArgumentException(command);
		}
	}

	private static void holdForEver(String key) {
		System.out.println(GRANTED + key);
		try {
			new CountDownLatch(1).await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Make a call until it succeeds.
	 */
	private static void inBackground(Call call) {
		Thread thread = new Thread(() -> {
			while (true) {
				try {
					call.run();
					return;
				}
				catch (Exception ex) {
					System.err.println(ex);
					LockSupport.parkNanos(NANOS_TO_REPEAT);
				}
			}
		}, "client");
		thread.setDaemon(true);
		thread.start();
	}

	/**
	 * A call of a store, which may fail.
	 */
	@FunctionalInterface
	private interface Call {

		void run() throws Exception;

	}

}
