package io.interlock.template;

import java.util.Deque;
import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;

import io.interlock.LockHandle;
import io.interlock.LockId;
import org.jspecify.annotations.Nullable;

/**
 * The locks that the calling thread has acquired and not released yet. What another
 * thread acquired is not visible, whoever has its handle.
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
	 * @return the hold
	 * @throws IllegalStateException if this thread holds no lock, for example because an
	 * annotated method was not called through its proxy
	 */
	public static LockHandle current() {
		HoldHandle innermost = HANDLES.get().peekLast();
		if (innermost == null) {
			throw new IllegalStateException(
					"This thread holds no lock. If an annotated method is running, it was not called through its "
							+ "proxy: an object that calls itself, or a private, static or final method, is not intercepted");
		}
		return innermost;
	}

	/**
	 * Return the hold of this thread on a lock.
	 * @param id which lock
	 * @return the innermost hold, or empty if this thread does not hold that lock
	 */
	public static Optional<LockHandle> find(LockId id) {
		Iterator<HoldHandle> handles = HANDLES.get().descendingIterator();
		while (handles.hasNext()) {
			HoldHandle handle = handles.next();
			if (handle.id().equals(id)) {
				return Optional.of(handle);
			}
		}
		return Optional.empty();
	}

	static @Nullable Hold findHold(LockId id, HeldLocks heldLocks) {
		for (HoldHandle handle : HANDLES.get()) {
			if (handle.belongsTo(id, heldLocks)) {
				return handle.hold();
			}
		}
		return null;
	}

	static boolean holdsAny() {
		return !HANDLES.get().isEmpty();
	}

	static Deque<HoldHandle> handlesOfThisThread() {
		return HANDLES.get();
	}

}
