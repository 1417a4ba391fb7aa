package io.interlock.zookeeper.internal.engine;

import java.time.Duration;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.testsupport.process.JavaProcess;

/**
 * A process that holds a lock and says after every long pause of its own whether it still
 * does. It ends when its input does, or when it is lost.
 */
final class PausedWorker {

	static final String HELD = "held";

	static final String AFTER_PAUSE = "after a pause: ";

	private PausedWorker() {
	}

	public static void main(String[] args) {
		JavaProcess.endWithParent();
		try (Instance instance = Instance.connectedTo(args[0], Duration.parse(args[1]));
				LockHandle handle = instance.template().acquire(LockRequest.exclusive(args[2]))) {
			// Before anybody may stop this process: a pause between would not be seen.
			long before = System.nanoTime();
			System.out.println(HELD);
			reportPauses(handle, before, Duration.parse(args[3]).toNanos());
		}
	}

	/**
	 * Spin, so that this thread reads before any other can tell it what to read. A pause
	 * may fall into a reading: the next one is the first that began after it.
	 */
	private static void reportPauses(LockHandle handle, long start, long longNanos) {
		long before = start;
		boolean paused = false;
		while (true) {
			boolean valid = handle.isValid();
			if (paused) {
				System.out.println(AFTER_PAUSE + valid);
			}
			long now = System.nanoTime();
			paused = now - before > longNanos;
			before = now;
		}
	}

}
