package io.interlock.jdbc;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.LockTemplate;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * An instance in a JVM of its own, which does what it is told line by line.
 */
final class JdbcWorker {

	private static final int THREADS = 8;

	private JdbcWorker() {
	}

	public static void main(String[] arguments) throws Exception {
		JdbcInstances instances = new JdbcInstances(LockDatabase.POSTGRESQL, arguments[0], Duration.parse(arguments[1]),
				10);
		LeaseLockProvider provider = instances.start();
		JdbcClient client = JdbcClient.create(instances.pool());
		say("ready");
		BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line = input.readLine(); line != null; line = input.readLine()) {
			String[] words = line.split(" ");
			switch (words[0]) {
				case "increment" -> increment(provider, client, Integer.parseInt(words[1]));
				case "hold" -> hold(provider, words[1]);
				default -> throw new IllegalArgumentException(line);
			}
		}
		Runtime.getRuntime().halt(0);
	}

	private static void increment(LeaseLockProvider provider, JdbcClient client, int times) throws Exception {
		LockTemplate template = new LockTemplate(new QueueingLockProvider(provider,
				new QueueSettings(true, Map.of(), Duration.ofMillis(50), Integer.MAX_VALUE, Integer.MAX_VALUE)));
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);
		List<Callable<Boolean>> bodies = new ArrayList<>();
		for (int thread = 0; thread < THREADS; thread++) {
			bodies.add(() -> {
				for (int i = 0; i < times; i++) {
					template.executeWithoutResult(LockRequest.exclusive("counter").withWaitTime(Duration.ofMinutes(5)),
							(lock) -> {
								int value = client.sql("SELECT value FROM counter").query(Integer.class).single();
								client.sql("UPDATE counter SET value = ?").param(value + 1).update();
							});
				}
				return true;
			});
		}
		for (Future<Boolean> body : threads.invokeAll(bodies)) {
			body.get();
		}
		threads.shutdown();
		say("incremented");
	}

	private static void hold(LeaseLockProvider provider, String name) throws IOException {
		LockGrant grant = provider.attempt(LockRequest.exclusive(name), LockCaller.current())
			.outcome()
			.join()
			.orElseThrow();
		CompletableFuture<LockState> told = new CompletableFuture<>();
		grant.onStateChange((state) -> {
			if (state == LockState.LOST) {
				told.complete(state);
			}
		});
		say("holds " + grant.fencingToken());
		Thread watcher = new Thread(() -> {
			while (grant.isCovered()) {
				Thread.onSpinWait();
				Thread.yield();
			}
			say("knows " + grant.state());
			// In this order, whichever comes first: the test waits for one line after the
			// other.
			say("told " + told.join());
		});
		watcher.setDaemon(true);
		watcher.start();
	}

	private static synchronized void say(String line) {
		System.out.println(line);
		System.out.flush();
	}

}
