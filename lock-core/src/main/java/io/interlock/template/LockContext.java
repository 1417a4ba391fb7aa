package io.interlock.template;

import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Predicate;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The locks that the calling thread has acquired and neither released nor
 * {@linkplain io.interlock.LockHandle#detach() detached} yet. What another thread
 * acquired is not visible, whichever thread has its handle. A lock that was acquired
 * asynchronously is visible to the action or the annotated method that runs under it,
 * until that has returned; in a Reactor chain, use {@link ReactiveLockContext}.
 *
 * @since 0.1.0
 */
public final class LockContext {

	// A handle may be closed by any thread, so other threads remove from this deque.
	private static final ThreadLocal<Deque<HoldHandle>> HANDLES = ThreadLocal.withInitial(ConcurrentLinkedDeque::new);

	private LockContext() {
	}

	/**
	 * Return the innermost lock of this thread.
	 * @throws IllegalStateException if this thread holds no lock, for example because an
	 * annotated method was not called through its proxy
	 */
	public static LockHandle current() {
		HoldHandle innermost = HANDLES.get().peekLast();
		if (innermost == null) {
			throw new IllegalStateException(
					"This thread holds no lock. If an annotated method is running, it was not called through its proxy: "
							+ "an object that calls itself, or a private, static or final method, is not intercepted. "
							+ "Asynchronous work has its lock here until its method has returned: pass the handle on, "
							+ "or use ReactiveLockContext in a Reactor chain");
		}
		return innermost;
	}

	/**
	 * Return the hold of this thread on a lock.
	 * @return the innermost hold, or empty if this thread does not hold that lock
	 */
	public static Optional<LockHandle> find(LockId id) {
		return held().stream().filter((handle) -> handle.id().equals(id)).findFirst();
	}

	/**
	 * Return the hold of this thread that a request would join.
	 * @return the innermost hold on that lock, whose token fences what the request is
	 * for; empty if this thread does not hold the lock, or holds it in a mode that does
	 * not cover the request, as shared does not cover exclusive
	 */
	public static Optional<LockHandle> find(LockRequest request) {
		Assert.notNull(request, "'request' must not be null");
		Iterator<HoldHandle> handles = HANDLES.get().descendingIterator();
		while (handles.hasNext()) {
			HoldHandle handle = handles.next();
			if (handle.hold().covers(request)) {
				return Optional.of(handle);
			}
		}
		return Optional.empty();
	}

	/**
	 * {@return a snapshot of every lock of this thread, innermost first} A lock that was
	 * acquired again while it was held appears once. A lock that its transaction keeps
	 * appears until that has completed.
	 */
	public static List<LockHandle> held() {
		return held((request) -> true);
	}

	/**
	 * Return those of the {@link #held() locks of this thread} of which any request
	 * matches a filter.
	 */
	public static List<LockHandle> held(Predicate<LockRequest> filter) {
		List<LockHandle> innermostFirst = new ArrayList<>();
		Set<Hold> seen = new HashSet<>();
		Iterator<HoldHandle> handles = HANDLES.get().descendingIterator();
		while (handles.hasNext()) {
			HoldHandle handle = handles.next();
			if (handle.answersTo(filter) && seen.add(handle.hold())) {
				innermostFirst.add(handle);
			}
		}
		return innermostFirst;
	}

	/** Tell the listeners of a lock that a transaction has come to its fence. */
	public static void tellFencedTransaction(LockHandle lock, boolean passed) {
		if (lock instanceof HoldHandle handle) {
			Hold hold = handle.hold();
			hold.tell((listener) -> listener.onFencedTransaction(hold.shown(), passed));
		}
	}

	static @Nullable Hold findHold(LockId id, HeldLocks heldLocks) {
		for (HoldHandle handle : HANDLES.get()) {
			if (handle.id().equals(id) && heldLocks.contains(handle.hold())) {
				return handle.hold();
			}
		}
		return null;
	}

	/** Return a handle without a body yet, {@code null} if the thread has no hold. */
	static @Nullable HoldHandle join(LockRequest request, HeldLocks heldLocks) {
		Hold hold = findHold(request.id(), heldLocks);
		if (hold == null || !hold.join()) {
			return null;
		}
		try {
			if (!hold.covers(request)) {
				throw Failures.upgrade(request);
			}
			hold.throwIfLost();
			return new HoldHandle(hold, request).limited();
		}
		catch (RuntimeException | Error ex) {
			hold.leave(request, true, false, false).finish();
			throw ex;
		}
	}

	static boolean holdsAny() {
		return !HANDLES.get().isEmpty();
	}

	static Deque<HoldHandle> handlesOfThisThread() {
		return HANDLES.get();
	}

}
