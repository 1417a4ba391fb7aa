package io.interlock.sample.show.live;

import java.time.Instant;

/**
 * What happened to one lock in this instance since it was started.
 *
 * @param grants how often ZooKeeper granted it
 * @param handoffs how often a thread handed it to the next one without asking ZooKeeper
 * @param lost how often it was lost while it was held
 * @param lastUsed when it was acquired last
 * @since 0.1.0
 */
public record LockActivity(long grants, long handoffs, long lost, Instant lastUsed) {

	static final LockActivity NONE = new LockActivity(0, 0, 0, Instant.EPOCH);

	LockActivity acquired(boolean handedOver) {
		return new LockActivity(this.grants + (handedOver ? 0 : 1), this.handoffs + (handedOver ? 1 : 0), this.lost,
				Instant.now());
	}

	LockActivity lostOnce() {
		return new LockActivity(this.grants, this.handoffs, this.lost + 1, this.lastUsed);
	}

}
