package io.interlock.actuate.endpoint;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.interlock.LockMode;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSnapshot;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.util.Assert;

/**
 * {@link Endpoint @Endpoint} to show the locks that this JVM holds and waits for. It asks
 * no server: what other instances hold is shown by its extensions.
 *
 * @since 0.1.0
 * @see LocksEndpointWebExtension
 * @see LocksEndpointJmxExtension
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public class LocksEndpoint {

	private static final int DEFAULT_LIMIT = 500;

	private static final int MAX_FRAMES = 100;

	private final HeldLocks locks;

	/**
	 * Create an endpoint.
	 * @param locks what is held and waited for
	 */
	public LocksEndpoint(HeldLocks locks) {
		Assert.notNull(locks, "'locks' must not be null");
		this.locks = locks;
	}

	/**
	 * Return the locks that are held and waited for, oldest first.
	 * @param name name of the locks to show, or {@code null} for all
	 * @param stacks whether to show where the threads are that acquired held locks;
	 * {@code null} for no
	 * @param limit how many to show of each, or {@code null} for 500
	 * @return a snapshot
	 */
	@ReadOperation
	public LocksDescriptor locks(@Nullable String name, @Nullable Boolean stacks, @Nullable Integer limit) {
		int shown = Objects.requireNonNullElse(limit, DEFAULT_LIMIT);
		Parameters.check(shown >= 0, "'limit' must not be negative: " + shown);
		boolean withStacks = Boolean.TRUE.equals(stacks);
		List<LockSnapshot> held = select(withStacks ? this.locks.heldWithStacks() : this.locks.held(), name).toList();
		List<LockSnapshot> waiting = select(this.locks.waiting(), name).toList();
		return new LocksDescriptor(new CountsDescriptor(held.size(), waiting.size()), shown,
				held.stream().limit(shown).map((lock) -> HeldLockDescriptor.of(lock, withStacks)).toList(),
				waiting.stream().limit(shown).map(WaitingLockDescriptor::of).toList());
	}

	private static Stream<LockSnapshot> select(List<LockSnapshot> locks, @Nullable String name) {
		return locks.stream().filter((lock) -> name == null || name.equals(lock.id().name()));
	}

	/**
	 * Description of the locks of this JVM.
	 *
	 * @param counts how many there are
	 * @param limit how many of each are shown at most
	 * @param held the locks that are held, oldest first
	 * @param waiting the locks that are waited for, oldest first
	 */
	public record LocksDescriptor(CountsDescriptor counts, int limit, List<HeldLockDescriptor> held,
			List<WaitingLockDescriptor> waiting) implements OperationResponseBody {

	}

	/**
	 * Description of the number of locks.
	 *
	 * @param held number of holds
	 * @param waiting number of waits
	 */
	public record CountsDescriptor(int held, int waiting) {

	}

	/**
	 * Description of a lock that is held.
	 *
	 * @param name name of the lock
	 * @param key what the name is narrowed to, or {@code null} for the one lock of that
	 * name
	 * @param mode how it is held
	 * @param token fencing token of the hold
	 * @param valid whether the hold is known to be valid
	 * @param handoff how often this JVM had handed the grant from thread to thread before
	 * it came to this one
	 * @param thread name of the thread that acquired it
	 * @param since when the hold began
	 * @param stack where that thread is now, or {@code null} if nobody asked
	 */
	public record HeldLockDescriptor(String name, @Nullable String key, LockMode mode, @Nullable Long token,
			boolean valid, @Nullable Integer handoff, String thread, Instant since, @Nullable List<String> stack) {

		static HeldLockDescriptor of(LockSnapshot lock, boolean withStack) {
			return new HeldLockDescriptor(lock.id().name(), lock.id().key(), lock.mode(), lock.token(), lock.valid(),
					lock.handoff(), lock.thread(), lock.since(), withStack ? frames(lock) : null);
		}

		private static List<String> frames(LockSnapshot lock) {
			return lock.stack().stream().limit(MAX_FRAMES).map(StackTraceElement::toString).toList();
		}

	}

	/**
	 * Description of a lock that is waited for.
	 *
	 * @param name name of the lock
	 * @param key what the name is narrowed to, or {@code null} for the one lock of that
	 * name
	 * @param mode how it is asked for
	 * @param thread name of the thread that waits
	 * @param since when the wait began
	 */
	public record WaitingLockDescriptor(String name, @Nullable String key, LockMode mode, String thread,
			Instant since) {

		static WaitingLockDescriptor of(LockSnapshot lock) {
			return new WaitingLockDescriptor(lock.id().name(), lock.id().key(), lock.mode(), lock.thread(),
					lock.since());
		}

	}

}
