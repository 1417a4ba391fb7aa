package io.interlock.template;

import java.time.Duration;
import java.util.List;

import io.interlock.LockRequest;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.testsupport.process.JavaProcess;

/**
 * A process that calls {@link System#exit} while it holds a lock, and says how its
 * shutdown waited for that.
 */
final class ExitingWorker {

	static final String RELEASED = "released: ";

	private ExitingWorker() {
	}

	public static void main(String[] args) {
		JavaProcess.endWithParent();
		HeldLocks heldLocks = new HeldLocks();
		Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println(RELEASED + stop(heldLocks))));
		new LockTemplate(new InMemoryLockProvider(), LockSettings.defaults(), heldLocks, List.of())
			.executeWithoutResult(LockRequest.exclusive("orders"), (lock) -> System.exit(0));
	}

	private static boolean stop(HeldLocks heldLocks) {
		try {
			return heldLocks.awaitReleased(Duration.ofMinutes(10));
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
