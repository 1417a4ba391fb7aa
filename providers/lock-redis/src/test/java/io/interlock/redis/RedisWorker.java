package io.interlock.redis;

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

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.ValueOperations;

/**
 * An instance in a JVM of its own, which does what it is told line by line.
 */
final class RedisWorker {

	private static final int THREADS = 8;

	private RedisWorker() {
	}

	public static void main(String[] arguments) throws Exception {
		RedisInstances instances = new RedisInstances(Duration.parse(arguments[1]));
		RedisConfiguration server = RedisInstances.server(Integer.parseInt(arguments[0]));
		LeaseLockProvider provider = instances.start(server);
		// Its commands are no part of a lease.
		RedisInstances patient = new RedisInstances(Duration.ofMinutes(1));
		StringRedisTemplate template = new StringRedisTemplate(patient.connections(server));
		say("ready");
		BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line = input.readLine(); line != null; line = input.readLine()) {
			String[] words = line.split(" ");
			switch (words[0]) {
				case "increment" -> increment(provider, template.opsForValue(), Integer.parseInt(words[1]));
				case "hold" -> hold(provider, words[1]);
				default -> throw new IllegalArgumentException(line);
			}
		}
		Runtime.getRuntime().halt(0);
	}

	private static void increment(LeaseLockProvider provider, ValueOperations<String, String> values, int times)
			throws Exception {
		LockTemplate template = new LockTemplate(new QueueingLockProvider(provider,
				new QueueSettings(true, Map.of(), Duration.ofMillis(50), Integer.MAX_VALUE, Integer.MAX_VALUE)));
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);
		List<Callable<Boolean>> bodies = new ArrayList<>();
		for (int thread = 0; thread < THREADS; thread++) {
			bodies.add(() -> {
				for (int i = 0; i < times; i++) {
					template.executeWithoutResult(LockRequest.exclusive("counter").withWaitTime(Duration.ofMinutes(5)),
							(lock) -> {
								int value = Integer.parseInt(values.get("counter"));
								values.set("counter", Integer.toString(value + 1));
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
