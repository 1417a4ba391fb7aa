package io.interlock.template;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.interlock.LockException;
import io.interlock.LockId;
import org.jspecify.annotations.Nullable;

/**
 * Finds threads of this JVM that wait for each other's locks in a circle. Invariant:
 * every thread is noted as waiting before it looks, so of the threads that close a circle
 * at the same time at least one sees it.
 */
final class LockOrderCheck {

	private final Collection<Hold> holds;

	private final Collection<Acquisition> waits;

	private final Thread origin;

	LockOrderCheck(Collection<Hold> holds, Collection<Acquisition> waits, Thread origin) {
		this.holds = holds;
		this.waits = waits;
		this.origin = origin;
	}

	/**
	 * Refuse a wait that would never end.
	 * @throws LockException if the thread waits for itself, with the circle in the
	 * message
	 */
	void check(Acquisition wait) {
		List<String> circle = circleFrom(wait, new ArrayList<>());
		if (circle != null) {
			LockId id = wait.request().id();
			throw new LockException(
					"Waiting for lock %s would never end: %s. Acquire these locks in one order everywhere".formatted(id,
							String.join(", ", circle)),
					id, Duration.ZERO, null);
		}
	}

	private @Nullable List<String> circleFrom(Acquisition wait, List<Thread> seen) {
		for (Hold hold : this.holds) {
			Thread holder = hold.holder().thread();
			if (hold.holder().isDetached() || !hold.isInTheWayOf(wait.request()) || holder == wait.thread()
					|| seen.contains(holder)) {
				continue;
			}
			List<String> rest = restOfCircle(holder, seen);
			if (rest != null) {
				rest.add(0, "thread '%s' waits for %s, which thread '%s' holds".formatted(Holder.nameOf(wait.thread()),
						wait.request().id(), Holder.nameOf(holder)));
				return rest;
			}
		}
		return null;
	}

	private @Nullable List<String> restOfCircle(Thread holder, List<Thread> seen) {
		if (holder == this.origin) {
			return new ArrayList<>();
		}
		seen.add(holder);
		for (Acquisition wait : this.waits) {
			if (wait.blocks(holder)) {
				return circleFrom(wait, seen);
			}
		}
		return null;
	}

}
