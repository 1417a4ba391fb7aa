package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Map.Entry;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Lock paths that this instance has used and does not use any more, the one that is idle
 * for longest first. Invariant: a path is in use, idle or forgotten, never two of it, and
 * at most {@code remembered} are idle.
 * <p>
 * Safe for use by many threads. There is one lock for all paths, for it is held for a
 * fraction of a microsecond, twice for each request to the servers.
 */
final class IdleParents {

	private final long idleNanos;

	private final int kept;

	private final int remembered;

	private final LongSupplier clock;

	private final ReentrantLock lock = new ReentrantLock();

	private final Map<String, Integer> users = new HashMap<>();

	private final Map<String, Long> idleSince = new LinkedHashMap<>();

	/** Create an empty collection. */
	IdleParents(Duration idleTime, int kept, int remembered) {
		this(idleTime, kept, remembered, System::nanoTime);
	}

	IdleParents(Duration idleTime, int kept, int remembered, LongSupplier clock) {
		this.idleNanos = idleTime.toNanos();
		this.kept = kept;
		this.remembered = remembered;
		this.clock = clock;
	}

	void use(String parent) {
		this.lock.lock();
		try {
			this.users.merge(parent, 1, Integer::sum);
			this.idleSince.remove(parent);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** End one use, and return whether a path is due before its time. */
	boolean end(String parent, long now) {
		this.lock.lock();
		try {
			if (this.users.computeIfPresent(parent, (path, count) -> (count > 1) ? count - 1 : null) == null) {
				addIdle(parent, now);
			}
			return this.idleSince.size() > this.kept;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Let a path be idle once more, unless it is in use. */
	void putBack(String parent, long now) {
		this.lock.lock();
		try {
			if (!this.users.containsKey(parent)) {
				addIdle(parent, now);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void addIdle(String parent, long now) {
		this.idleSince.put(parent, now);
		if (this.idleSince.size() > this.remembered) {
			removeOldest();
		}
	}

	private void removeOldest() {
		Iterator<String> oldest = this.idleSince.keySet().iterator();
		oldest.next();
		oldest.remove();
	}

	/** Take out the path idle for longest, if that is long or there are too many. */
	@Nullable String pollDue(long now) {
		this.lock.lock();
		try {
			Iterator<Entry<String, Long>> entries = this.idleSince.entrySet().iterator();
			if (!entries.hasNext()) {
				return null;
			}
			Entry<String, Long> oldest = entries.next();
			if (this.idleSince.size() <= this.kept && now - oldest.getValue() < this.idleNanos) {
				return null;
			}
			String parent = oldest.getKey();
			entries.remove();
			return parent;
		}
		finally {
			this.lock.unlock();
		}
	}

	boolean isUsed(String parent) {
		this.lock.lock();
		try {
			return this.users.containsKey(parent);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Return how many paths are remembered, in use or idle. */
	int size() {
		this.lock.lock();
		try {
			return this.users.size() + this.idleSince.size();
		}
		finally {
			this.lock.unlock();
		}
	}

	boolean isEmpty() {
		return size() == 0;
	}

	long now() {
		return this.clock.getAsLong();
	}

	long idleNanos() {
		return this.idleNanos;
	}

}
