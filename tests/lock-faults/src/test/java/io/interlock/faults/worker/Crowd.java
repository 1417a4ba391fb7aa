package io.interlock.faults.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.queue.QueueSettings;

/**
 * A JVM that holds many locks, or one that many share, and counts the holders that are
 * told of their loss. It is told what to do a line at a time and answers each with a
 * line. Times are those of {@link System#nanoTime()}, which all JVMs of a machine share.
 */
public final class Crowd {

	/**
	 * What it prints before an answer: the JVM may complain on the same stream.
	 */
	public static final String ANSWER = "answer ";

	private static final int MOST_THREADS = 200;

	private final InterlockLocks locks;

	private final AtomicInteger told = new AtomicInteger();

	private final AtomicLong lastToldAt = new AtomicLong();

	private final List<BooleanSupplier> losses = new ArrayList<>();

	private Crowd(InterlockLocks locks) {
		this.locks = locks;
	}

	public static void main(String[] args) throws IOException {
		Crowd crowd = new Crowd(new InterlockLocks(args[0], Duration.parse(args[1]), QueueSettings.defaults()));
		BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line = commands.readLine(); line != null; line = commands.readLine()) {
			System.out.println(ANSWER + crowd.obey(line.split(" ")));
			System.out.flush();
		}
		Runtime.getRuntime().halt(0);
	}

	private String obey(String[] words) {
		return switch (words[0]) {
			case "hold" -> hold(Integer.parseInt(words[1]));
			case "share" -> share(Integer.parseInt(words[1]));
			case "startable" -> Integer.toString(startable());
			case "told" -> this.told + " " + this.lastToldAt;
			case "lost" -> Long.toString(this.losses.stream().filter(BooleanSupplier::getAsBoolean).count());
			case "timer" -> Long.toString(timers());
			case "acquire" -> this.locks.acquireAndRelease(words[1], Duration.parse(words[2]));
			default -> "unknown " + words[0];
		};
	}

	private String hold(int count) {
		for (int i = 0; i < count; i++) {
			LockHandle handle = this.locks.template()
				.acquire(LockRequest.exclusive("crowd").withKey(i).withWaitTime(LockRequest.FOREVER));
			handle.onLoss(this::lost);
			this.losses.add(handle::isLost);
		}
		return "held";
	}

	private String share(int count) {
		LockRequest request = LockRequest.shared("crowd").withWaitTime(LockRequest.FOREVER);
		for (int i = 0; i < count; i++) {
			LockGrant grant = this.locks.provider()
				.attempt(request, new LockCaller("crowd", Instant.now(), null, false))
				.outcome()
				.join()
				.orElseThrow();
			grant.onStateChange((state) -> {
				if (state == LockState.LOST) {
					lost();
				}
			});
			this.losses.add(() -> grant.state() == LockState.LOST);
		}
		return "held";
	}

	private void lost() {
		this.lastToldAt.accumulateAndGet(System.nanoTime(), Math::max);
		this.told.incrementAndGet();
	}

	/**
	 * Start threads until that fails, and let them end.
	 */
	private static int startable() {
		CountDownLatch end = new CountDownLatch(1);
		List<Thread> threads = new ArrayList<>();
		try {
			while (threads.size() < MOST_THREADS) {
				Thread thread = new Thread(() -> await(end));
				thread.start();
				threads.add(thread);
			}
		}
		catch (OutOfMemoryError ex) {
			// No more threads can be started.
		}
		end.countDown();
		for (Thread thread : threads) {
			join(thread);
		}
		return threads.size();
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static void join(Thread thread) {
		try {
			thread.join();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static long timers() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().equals("interlock-lease"))
			.count();
	}

}
