package io.interlock.shedlock;

import java.util.Optional;

import io.interlock.LockHandle;
import io.interlock.LockLostException;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * The lock of a task that runs.
 */
final class TaskLock extends AbstractSimpleLock {

	private final LockHandle handle;

	TaskLock(LockConfiguration configuration, LockHandle handle) {
		super(configuration);
		this.handle = handle;
	}

	@Override
	protected void doUnlock() {
		this.handle.close();
	}

	/**
	 * Ask the servers whether the lock is held. A lock that is lost cannot be unlocked
	 * after the answer, so it is done here.
	 */
	@Override
	protected Optional<SimpleLock> doExtend(LockConfiguration extended) {
		if (!extended.getLockAtLeastFor().isZero()) {
			throw new UnsupportedOperationException(
					"Lock %s cannot be extended with lockAtLeastFor = %s: its minimum time is set when it is acquired. Extend it with Duration.ZERO, and set lockAtLeastFor of the task"
						.formatted(this.handle.id(), extended.getLockAtLeastFor()));
		}
		try {
			this.handle.verify();
		}
		catch (LockLostException ex) {
			this.handle.close();
			return Optional.empty();
		}
		return Optional.of(new TaskLock(extended, this.handle));
	}

}
