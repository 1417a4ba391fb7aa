package io.interlock.curator;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.interlock.LockHandle;
import io.interlock.LockRequest;

/**
 * A process that holds a lock and says after every pause of its own whether it still
 * does. It ends when its input does, or when it is lost.
 */
final class PausedWorker {

	static final String HELD = "held";

	static final String AFTER_PAUSE = "after a pause: ";

	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	private PausedWorker() {
	}

	public static void main(String[] args) {
		endWithInput();
		try (Instance instance = Instance.connectedTo(args[0], Duration.parse(args[1]));
				LockHandle handle = instance.template().acquire(LockRequest.exclusive(args[2]))) {
			// Before anybody may stop this process: a pause between would not be seen.
			long before = System.nanoTime();
			System.out.println(HELD);
			reportPauses(handle, before);
		}
	}

	private static void reportPauses(LockHandle handle, long start) {
		long before = start;
		while (true) {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
			long now = System.nanoTime();
			boolean valid = handle.isValid();
			if (now - before > PAUSE_NANOS) {
				System.out.println(AFTER_PAUSE + valid);
			}
			before = now;
		}
	}

	private static void endWithInput() {
		Thread thread = new Thread(() -> {
			try {
				while (System.in.read() >= 0) {
					Thread.onSpinWait();
				}
			}
			catch (IOException ex) {
				// The parent is gone.
			}
			Runtime.getRuntime().halt(0);
		});
		thread.setDaemon(true);
		thread.start();
	}

}
