package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Map.Entry;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Lock paths that this instance has used and does not use any more, the one that is idle
 * for longest first. Invariant: a path is exactly one of in use, idle and forgotten, and
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

	private final Map<String, Integer> users = new HashMap<>();

	private final Map<String, Long> idleSince = new LinkedHashMap<>() {
		@Override
		protected boolean removeEldestEntry(Entry<String, Long> oldest) {
			return size() > IdleParents.this.remembered;
		}
	};

	IdleParents(Duration idleTime, int kept, int remembered, LongSupplier clock) {
		this.idleNanos = idleTime.toNanos();
		this.kept = kept;
		this.remembered = remembered;
		this.clock = clock;
	}

	synchronized void use(String parent) {
		this.users.merge(parent, 1, Integer::sum);
		this.idleSince.remove(parent);
	}

	/** End one use, and return whether a path is due before its time. */
	synchronized boolean end(String parent, long now) {
		if (this.users.computeIfPresent(parent, (path, count) -> (count > 1) ? count - 1 : null) == null) {
			this.idleSince.put(parent, now);
		}
		return this.idleSince.size() > this.kept;
	}

	/** Let a path be idle once more, unless it is in use. */
	synchronized void putBack(String parent, long now) {
		if (!this.users.containsKey(parent)) {
			this.idleSince.put(parent, now);
		}
	}

	/** Take out the path idle for longest, if that is long or there are too many. */
	synchronized @Nullable String pollDue(long now) {
		Entry<String, Long> oldest = this.idleSince.entrySet().stream().findFirst().orElse(null);
		if (oldest == null || (this.idleSince.size() <= this.kept && now - oldest.getValue() < this.idleNanos)) {
			return null;
		}
		this.idleSince.remove(oldest.getKey());
		return oldest.getKey();
	}

	synchronized boolean isUsed(String parent) {
		return this.users.containsKey(parent);
	}

	/** Return how many paths are remembered, in use or idle. */
	synchronized int size() {
		return this.users.size() + this.idleSince.size();
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
