package io.interlock.sample.show.live;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockListener;
import io.interlock.LockRequest;

import org.springframework.stereotype.Component;

/**
 * Remembers what happens to the locks of this instance, of the last ones that it used.
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
@Component
public class Recorder implements LockListener {

	private static final int MOST_LOCKS = 50;

	private final Story story;

	private final WaitTimes waitTimes = new WaitTimes(
			() -> TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis()));

	private final Map<LockId, LockActivity> activities = new LinkedHashMap<>(16, 0.75F, true) {

		@Override
		protected boolean removeEldestEntry(Map.Entry<LockId, LockActivity> eldest) {
			return size() > MOST_LOCKS;
		}

	};

	Recorder(Story story) {
		this.story = story;
	}

	@Override
	public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
		this.waitTimes.add(waited);
		synchronized (this.activities) {
			LockActivity activity = this.activities.getOrDefault(handle.id(), LockActivity.NONE);
			this.activities.put(handle.id(), activity.acquired(handle.handoff() > 0));
		}
	}

	@Override
	public void onLost(LockHandle handle) {
		Duration held = Duration.between(handle.acquiredAt(), Instant.now());
		this.story.tell(Story.Kind.LOSS,
				"Lost %s after %d ms, token %d".formatted(handle.id(), held.toMillis(), handle.fencingToken()));
		synchronized (this.activities) {
			LockActivity activity = this.activities.getOrDefault(handle.id(), LockActivity.NONE);
			this.activities.put(handle.id(), activity.lostOnce());
		}
	}

	@Override
	public void onUnconfirmed(LockHandle handle) {
		this.story.tell(Story.Kind.DOUBT,
				"Released %s unconfirmed, token %d".formatted(handle.id(), handle.fencingToken()));
	}

	@Override
	public void onOverdue(LockHandle handle, Duration held) {
		this.story.tell(Story.Kind.DOUBT, "%s is held for longer than it should be".formatted(handle.id()));
	}

	/**
	 * Return what happened to a lock so far.
	 * @param id which lock
	 * @return its counts, all zero if this instance has not used it lately
	 */
	public LockActivity activity(LockId id) {
		return activities().getOrDefault(id, LockActivity.NONE);
	}

	Map<LockId, LockActivity> activities() {
		synchronized (this.activities) {
			return Map.copyOf(this.activities);
		}
	}

	List<WaitTimes.Second> waits() {
		return this.waitTimes.lastMinute();
	}

}
