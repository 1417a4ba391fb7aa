package io.interlock.internal;

import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Says which of many events have a line in a log: of those with one key the first one,
 * and then one in each pause. Invariant: an event either has a line, or is in the count
 * of the next line of its key. Safe for use by many threads.
 *
 * @param <K> type of the keys, of which there are few
 * @since 0.1.0
 */
public final class LogPace<K> {

	private final long pauseNanos;

	private final LongSupplier nanoTime;

	private final Map<K, Event> last = new ConcurrentHashMap<>();

	/** Create a pace that begins with the next event of each key. */
	public LogPace(Duration pause, LongSupplier nanoTime) {
		this.pauseNanos = pause.toNanos();
		this.nanoTime = nanoTime;
	}

	/** Return how many events had no line before, or nothing if this has none either. */
	public OptionalLong next(K key) {
		long now = this.nanoTime.getAsLong();
		Event event = this.last.merge(key, new Event(true, now, 0), (before, first) -> after(before, now));
		return event.hasLine() ? OptionalLong.of(event.leftOut()) : OptionalLong.empty();
	}

	private Event after(Event before, long now) {
		long leftOut = before.hasLine() ? 0 : before.leftOut();
		return (now - before.lineAt() >= this.pauseNanos) ? new Event(true, now, leftOut)
				: new Event(false, before.lineAt(), leftOut + 1);
	}

	private record Event(boolean hasLine, long lineAt, long leftOut) {

	}

}
