package io.interlock.zookeeper.internal.engine;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import io.interlock.LockRequest;
import io.interlock.queue.QueueSettings;
import io.interlock.testsupport.process.JavaProcess;

/**
 * A process whose threads take permits of one semaphore again and again.
 */
final class SemaphoreWorker {

	static final String DONE = "done";

	private static final Duration VISIT = Duration.ofNanos(50_000);

	private SemaphoreWorker() {
	}

	public static void main(String[] args) throws Exception {
		JavaProcess.endWithParent();
		LockRequest request = LockRequest.semaphore(args[1], Integer.parseInt(args[2]))
			.withWaitTime(LockRequest.FOREVER);
		int threads = Integer.parseInt(args[3]);
		int visits = Integer.parseInt(args[4]) / threads;
		InsideMeter meter = InsideMeter.in(Path.of(args[5]));
		QueueSettings settings = new QueueSettings(true, Map.of(), Duration.ofMillis(10), 1000, 1000);
		try (Instance instance = Instance.queueing(args[0], Duration.ofSeconds(30), settings)) {
			List<Callable<?>> tasks = new ArrayList<>();
			for (int thread = 0; thread < threads; thread++) {
				tasks.add(() -> {
					for (int i = 0; i < visits; i++) {
						instance.template().executeWithoutResult(request, (permit) -> meter.visit(VISIT));
					}
					return null;
				});
			}
			UnguardedCounter.runTogether(tasks);
		}
		System.out.println(DONE);
	}

}
