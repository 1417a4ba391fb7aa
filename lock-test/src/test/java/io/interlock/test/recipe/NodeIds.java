package io.interlock.test.recipe;

import java.time.Clock;

import io.interlock.test.recipe.Slots.Slot;

/**
 * Makes numbers that no other instance makes.
 */
class NodeIds implements AutoCloseable {

	private static final int NODES = 1024;

	private static final int NUMBERS_PER_MILLISECOND = 4096;

	private final Clock clock;

	private final Slot node;

	private long last;

	NodeIds(Slots slots, Clock clock) {
		this.clock = clock;
		this.node = slots.lease("node", NODES).orElseThrow(() -> new IllegalStateException("All nodes are taken"));
	}

	synchronized long next() {
		// The time is read before the lock is looked at, so that a pause after the look
		// does no harm.
		long now = this.clock.millis() * NUMBERS_PER_MILLISECOND;
		if (!this.node.isMine()) {
			throw new IllegalStateException("Node %d may belong to another instance now".formatted(this.node.number()));
		}
		if (this.last >= now + NUMBERS_PER_MILLISECOND - 1) {
			throw new IllegalStateException("Too many numbers in a millisecond, or the clock was set back");
		}
		this.last = Math.max(this.last + 1, now);
		return this.last * NODES + this.node.number();
	}

	@Override
	public void close() {
		this.node.close();
	}

}
