package io.interlock.integration;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Lock;

import io.interlock.LockId;
import org.jspecify.annotations.Nullable;

/**
 * What each thread has locked through one registry and not unlocked yet. Only that thread
 * sees it, so a lock can be unlocked through any of the objects that stand for it.
 */
final class LocksOfThread {

	private final ThreadLocal<Map<LockId, Deque<Lock>>> locks = ThreadLocal.withInitial(HashMap::new);

	void add(LockId id, Lock lock) {
		this.locks.get().computeIfAbsent(id, (added) -> new ArrayDeque<>(2)).addLast(lock);
	}

	/**
	 * Take the lock that this thread has locked last.
	 * @return the lock, or {@code null} if the thread has not locked it
	 */
	@Nullable Lock removeLast(LockId id) {
		Map<LockId, Deque<Lock>> locks = this.locks.get();
		Deque<Lock> ofId = locks.get(id);
		Lock lock = (ofId != null) ? ofId.pollLast() : null;
		if (ofId != null && ofId.isEmpty()) {
			locks.remove(id);
		}
		if (locks.isEmpty()) {
			this.locks.remove();
		}
		return lock;
	}

}
