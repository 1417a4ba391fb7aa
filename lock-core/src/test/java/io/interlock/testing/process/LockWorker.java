package io.interlock.testing.process;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.LockTemplate;

/**
 * An instance in a JVM of its own, which does what it is told line by line, and ends with
 * its input.
 */
public final class LockWorker {

	static final int THREADS = 8;

	static final String READY = "ready";

	static final String INCREMENT = "increment ";

	static final String INCREMENTED = "incremented";

	static final String HOLD = "hold ";

	static final String HOLDS = "holds ";

	/** Takes a time, for which the lock stays taken. */
	static final String KEEP = "keep ";

	static final String KEPT = "kept";

	static final String KNOWS = "knows ";

	static final String TOLD = "told ";

	private final LockProvider provider;

	private final SharedCounter counter;

	private LockWorker(LockProvider provider, SharedCounter counter) {
		this.provider = provider;
		this.counter = counter;
	}

	/**
	 * Do what the input says, and end this JVM when the input ends.
	 * @param provider where the locks are
	 * @param counter the counter in the same store
	 * @throws Exception if something that it was told to do fails
	 */
	public static void run(LockProvider provider, SharedCounter counter) throws Exception {
		LockWorker worker = new LockWorker(provider, counter);
		say(READY);
		BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line = input.readLine(); line != null; line = input.readLine()) {
			worker.obey(line);
		}
		Runtime.getRuntime().halt(0);
	}

	private void obey(String line) throws Exception {
		if (line.startsWith(INCREMENT)) {
			increment(Integer.parseInt(line.substring(INCREMENT.length())));
		}
		else if (line.startsWith(HOLD)) {
			hold(line.substring(HOLD.length()));
		}
		else if (line.startsWith(KEEP)) {
			keep(Duration.parse(line.substring(KEEP.length())));
		}
		else {
			throw new IllegalArgumentException(line);
		}
	}

	private void increment(int times) throws Exception {
		LockTemplate template = new LockTemplate(new QueueingLockProvider(this.provider,
				new QueueSettings(true, Map.of(), Duration.ofMillis(50), Integer.MAX_VALUE, Integer.MAX_VALUE)));
		LockRequest request = LockRequest.exclusive("counter").withWaitTime(Duration.ofMinutes(5));
		Callable<Boolean> body = () -> {
			for (int i = 0; i < times; i++) {
				template.executeWithoutResult(request, (lock) -> this.counter.write(this.counter.read() + 1));
			}
			return true;
		};
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);
		for (Future<Boolean> thread : threads.invokeAll(Collections.nCopies(THREADS, body))) {
			thread.get();
		}
		threads.shutdown();
		say(INCREMENTED);
	}

	private void keep(Duration time) {
		LockGrant grant = acquire(LockRequest.exclusive("stock").withMinHold(time));
		if (grant.keep(time).join()) {
			say(KEPT);
		}
	}

	private LockGrant acquire(LockRequest request) {
		return this.provider.attempt(request, LockCaller.current()).outcome().join().orElseThrow();
	}

	private void hold(String name) {
		LockGrant grant = acquire(LockRequest.exclusive(name));
		CompletableFuture<LockState> told = new CompletableFuture<>();
		grant.onStateChange((state) -> {
			if (state == LockState.LOST) {
				told.complete(state);
			}
		});
		say(HOLDS + grant.fencingToken());
		Thread watcher = new Thread(() -> watch(grant, told), "watcher");
		watcher.setDaemon(true);
		watcher.start();
	}

	/**
	 * Say the state as soon as the lock is not held for certain, and only then what the
	 * listener was told, whichever comes first.
	 */
	private static void watch(LockGrant grant, CompletableFuture<LockState> told) {
		while (grant.isCovered()) {
			Thread.onSpinWait();
			Thread.yield();
		}
		say(KNOWS + grant.state());
		say(TOLD + told.join());
	}

	private static synchronized void say(String line) {
		System.out.println(line);
		System.out.flush();
	}

}
