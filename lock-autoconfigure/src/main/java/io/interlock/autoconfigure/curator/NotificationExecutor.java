package io.interlock.autoconfigure.curator;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * The thread on which Curator wakes up whoever waits for a lock. Curator 5.9.0 never
 * stops the one it makes itself.
 */
final class NotificationExecutor {

	private NotificationExecutor() {
	}

	/**
	 * Create the executor. Notifications that come after its shutdown run on their own
	 * thread: dropping them would leave threads waiting.
	 */
	static ExecutorService create() {
		CustomizableThreadFactory threadFactory = new CustomizableThreadFactory("interlock-notify-");
		threadFactory.setDaemon(true);
		return new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threadFactory,
				(task, executor) -> task.run());
	}

}
