package io.interlock.zookeeper.internal.engine;

import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * What the sender of a {@link WriteQueue} has taken, in units that are sent together, and
 * how far it is. For one sender at a time. Invariant: each unit is sent once, even if an
 * error ends the sender between two units, or within one.
 */
final class TakenRequests {

	private final List<List<QueuedRequest>> units;

	private int unit;

	private boolean begun;

	TakenRequests(List<List<QueuedRequest>> units) {
		this.units = units;
	}

	boolean isDone() {
		return this.unit == this.units.size();
	}

	/**
	 * Send the units that are left.
	 * @param send sends a unit
	 * @param lost answers a unit whose fate is unknown, because an error has ended the
	 * sender while it sent it
	 * @return the last failure, or {@code null}
	 */
	@Nullable IllegalStateException sendEach(Consumer<List<QueuedRequest>> send, Consumer<List<QueuedRequest>> lost) {
		IllegalStateException failure = null;
		while (!isDone()) {
			Consumer<List<QueuedRequest>> next = this.begun ? lost : send;
			this.begun = true;
			try {
				next.accept(this.units.get(this.unit));
			}
			catch (IllegalStateException ex) {
				failure = ex;
			}
			this.begun = false;
			this.unit++;
		}
		return failure;
	}

}
