package io.interlock.shedlock;

import java.time.Duration;
import java.util.Optional;

import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.ReleasePolicy;
import io.interlock.template.LockContext;
import io.interlock.template.LockOperations;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;

import org.springframework.util.Assert;

/**
 * Locks the tasks of ShedLock with the locks of Interlock: one name for all of them, and
 * the name of the task as the key. Safe for use by many threads.
 * <ul>
 * <li>{@code lockAtMostFor} is a {@linkplain LockRequest#withMaxHold maximum hold}: a
 * task that runs longer is reported, with the stack of its thread, and <b>keeps its
 * lock</b>. The lock of an instance that crashes is free when its session or lease has
 * ended, usually long before. A request with {@link io.interlock.LossPolicy#INTERRUPT}
 * interrupts the thread of the task at that moment as well.
 * <li>{@code lockAtLeastFor} is a {@linkplain LockRequest#withMinHold minimum hold}: the
 * lock stays taken for that time. On ZooKeeper it outlives its instance once the servers
 * have the end of the task. If the instance crashes before that, or its locks are on
 * another store, the lock is free when its session or lease has ended.
 * <li>{@link SimpleLock#extend} is a check. Nothing has to be extended, so the answer is
 * empty if the lock is lost, and the lock otherwise; {@code lockAtMostFor} is not counted
 * again. A {@code lockAtLeastFor} above zero is refused with
 * {@link UnsupportedOperationException}.
 * <li>{@link SimpleLock#unlock} throws nothing about a lock that was lost: the log, the
 * listeners and the meters tell.
 * </ul>
 * As ShedLock asks for, a lock is not re-entrant. An outage is no contention:
 * {@link #lock} throws {@link io.interlock.LockServiceUnavailableException} then.
 *
 * @since 0.1.0
 */
public final class InterlockLockProvider implements LockProvider {

	/** Name of the locks of a provider that is made without a request. */
	public static final String DEFAULT_NAME = "shedlock";

	private final LockOperations locks;

	private final LockRequest request;

	/**
	 * Create a provider whose locks have the name {@value #DEFAULT_NAME} and are released
	 * when they are unlocked, also inside a transaction.
	 * @param locks where the locks come from
	 */
	public InterlockLockProvider(LockOperations locks) {
		this(locks, LockRequest.exclusive(DEFAULT_NAME).withRelease(ReleasePolicy.AFTER_METHOD));
	}

	/**
	 * Create a provider.
	 * @param locks where the locks come from
	 * @param request name and policies of all locks of the provider; exclusive and
	 * without a key. Without a wait time, a task is skipped as soon as another one has
	 * its lock
	 * @throws IllegalArgumentException if the request is for a shared lock or a
	 * semaphore, or has a key
	 */
	public InterlockLockProvider(LockOperations locks, LockRequest request) {
		Assert.notNull(locks, "'locks' must not be null");
		Assert.notNull(request, "'request' must not be null");
		Assert.isTrue(request.mode() == LockMode.EXCLUSIVE,
				() -> "'request' of a lock provider must be exclusive: " + request);
		Assert.isTrue(request.id().key() == null,
				() -> "'request' of a lock provider must have no key, because each task gives it one: " + request);
		this.locks = locks;
		this.request = request;
	}

	@Override
	public Optional<SimpleLock> lock(LockConfiguration configuration) {
		LockRequest asked = request(configuration);
		if (LockContext.find(asked.id()).isPresent()) {
			return Optional.empty();
		}
		return this.locks.tryAcquire(asked).map((handle) -> new TaskLock(configuration, handle));
	}

	private LockRequest request(LockConfiguration configuration) {
		LockRequest asked = this.request.withKey(configuration.getName())
			.withMinHold(configuration.getLockAtLeastFor());
		Duration lockAtMostFor = configuration.getLockAtMostFor();
		return lockAtMostFor.isZero() ? asked : asked.withMaxHold(lockAtMostFor);
	}

}
