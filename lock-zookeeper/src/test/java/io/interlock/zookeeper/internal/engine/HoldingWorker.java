package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.testsupport.process.JavaProcess;

/**
 * A process that holds a lock, and says that it knows of its loss, and then that its
 * listener was told. It ends with its input.
 */
final class HoldingWorker {

	static final String HOLDS = "holds ";

	static final String KNOWS = "knows ";

	static final String TOLD = "told LOST";

	private HoldingWorker() {
	}

	public static void main(String[] args) throws Exception {
		JavaProcess.endWithParent();
		Instance instance = Instance.connectedTo(args[0], Duration.parse(args[1]));
		LockGrant grant = instance.provider()
			.attempt(LockRequest.exclusive(args[2]), LockCaller.current())
			.outcome()
			.join()
			.orElseThrow();
		CountDownLatch told = new CountDownLatch(1);
		grant.onStateChange((state) -> {
			if (state == LockState.LOST) {
				told.countDown();
			}
		});
		say(HOLDS + grant.fencingToken());
		while (grant.state() != LockState.LOST) {
			Thread.onSpinWait();
			Thread.yield();
		}
		say(KNOWS + grant.state());
		told.await();
		say(TOLD);
		Thread.currentThread().join();
	}

	private static void say(String line) {
		System.out.println(line);
		System.out.flush();
	}

}
