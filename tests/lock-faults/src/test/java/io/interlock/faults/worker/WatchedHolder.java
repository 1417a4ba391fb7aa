package io.interlock.faults.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.queue.QueueSettings;
import io.interlock.template.LockTemplate;
import org.jspecify.annotations.Nullable;

/**
 * A JVM that holds one lock and notes when it last held it for certain and when it was
 * told of its loss. It is told what to do a line at a time and answers each with a line.
 * Times are those of {@link System#nanoTime()}, which all JVMs of a machine share.
 */
public final class WatchedHolder {

	/**
	 * What it answers for a time that has not come.
	 */
	public static final long NEVER = 0;

	private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private final InterlockLocks locks;

	private volatile @Nullable LockHandle held;

	private volatile long lastValidAt = NEVER;

	private volatile long lostAt = NEVER;

	private WatchedHolder(InterlockLocks locks) {
		this.locks = locks;
		Thread thread = new Thread(this::watch, "watch");
		thread.setDaemon(true);
		thread.start();
	}

	public static void main(String[] args) throws IOException {
		WatchedHolder holder = new WatchedHolder(
				new InterlockLocks(args[0], Duration.parse(args[1]), QueueSettings.defaults()));
		BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line = commands.readLine(); line != null; line = commands.readLine()) {
			System.out.println(holder.obey(line.split(" ")));
			System.out.flush();
		}
		Runtime.getRuntime().halt(0);
	}

	private void watch() {
		while (true) {
			long before = System.nanoTime();
			LockHandle handle = this.held;
			if (handle != null && handle.isValid()) {
				this.lastValidAt = before;
			}
			LockSupport.parkNanos(LOOK_NANOS);
		}
	}

	private String obey(String[] words) {
		return switch (words[0]) {
			case "time" -> System.currentTimeMillis() + " " + System.nanoTime();
			case "park" -> park(Duration.parse(words[1]));
			case "acquire" -> this.locks.acquireAndRelease(words[1], Duration.parse(words[2]));
			case "hold" -> hold(words[1]);
			case "release" -> release();
			case "seen" -> this.lastValidAt + " " + this.lostAt;
			default -> "unknown " + words[0];
		};
	}

	private static String park(Duration duration) {
		long before = System.nanoTime();
		LockSupport.parkNanos(duration.toNanos());
		return Long.toString(System.nanoTime() - before);
	}

	private String hold(String key) {
		LockTemplate template = this.locks.template();
		LockHandle handle = template.acquire(LockRequest.exclusive(key).withWaitTime(LockRequest.FOREVER));
		this.lostAt = NEVER;
		handle.onLoss(() -> this.lostAt = System.nanoTime());
		this.held = handle;
		return "held";
	}

	private String release() {
		Objects.requireNonNull(this.held).close();
		this.held = null;
		return "released";
	}

}
