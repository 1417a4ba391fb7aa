package io.interlock.template;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

import io.interlock.LockException;
import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * Finds threads of this instance that wait for each other's locks in a circle, in which
 * each waits for the hold of the next one. A wait behind another waiter, or for one of
 * several permits, is not followed. Invariants:
 * <ul>
 * <li>Every thread is noted as waiting before it looks, so of the threads that close a
 * circle at the same time at least one sees it.
 * <li>A reported circle existed at one moment. Threads go on during the search, so it
 * looks for each wait again, and then for each hold: what is still there was there all
 * the time.
 * </ul>
 */
record LockOrderCheck(Collection<Hold> holds, Collection<Wait> waits, Thread origin) {

	private static final Comparator<Hold> BY_END = Comparator
		.comparing((Hold hold) -> Objects.requireNonNullElse(MinHold.until(hold.kept()), Instant.MAX))
		.thenComparing(Hold::acquiredAt);

	void check(Wait wait) {
		List<Link> circle = circleFrom(wait, new ArrayList<>());
		while (circle != null) {
			if (stands(circle)) {
				throw failure(wait.request().id(), circle);
			}
			circle = circleFrom(wait, new ArrayList<>());
		}
	}

	private boolean stands(List<Link> circle) {
		return circle.stream().allMatch((link) -> this.waits.contains(link.waiting()))
				&& circle.stream().allMatch((link) -> ties(link.hold()));
	}

	private static LockException failure(LockId id, List<Link> circle) {
		return new LockException(
				"Waiting for lock %s would never end: %s. Acquire these locks in the same order everywhere"
					.formatted(id, circle.stream().map(Link::toString).collect(Collectors.joining(", "))),
				id, Duration.ZERO, null);
	}

	/**
	 * Return the hold that a request waits for. Of several that exclude it, the last one
	 * to end counts; of permits the first one, if all are held here. A hold whose end is
	 * not known ends after those that are kept.
	 */
	static @Nullable Hold holdBefore(LockRequest request, Collection<Hold> holds) {
		List<Hold> same = holds.stream()
			.filter((hold) -> hold.grant().request().id().equals(request.id()) && !hold.isLost())
			.toList();
		Optional<Hold> last = same.stream().filter((hold) -> isInTheWay(hold, request)).max(BY_END);
		return last.or(() -> (request.mode() == LockMode.PERMIT && same.size() >= request.permits())
				? same.stream().min(BY_END) : Optional.empty())
			.orElse(null);
	}

	/** One of several permits may become free at another holder. */
	private static boolean isInTheWay(Hold hold, LockRequest request) {
		boolean onlyPermit = request.mode() == LockMode.PERMIT && request.permits() == 1;
		return hold.grant().request().id().equals(request.id())
				&& (onlyPermit || hold.grant().request().mode().excludes(request.mode()));
	}

	/** Return whether a lock stays taken until the thread of its hold continues. */
	private static boolean ties(Hold hold) {
		return !hold.hasEnded() && !hold.isLost() && !hold.holder().isDetached();
	}

	private @Nullable List<Link> circleFrom(Wait wait, List<Thread> seen) {
		for (Hold hold : this.holds) {
			Thread holder = hold.holder().thread();
			if (!ties(hold) || !isInTheWay(hold, wait.request()) || holder == wait.thread() || seen.contains(holder)) {
				continue;
			}
			List<Link> rest = restOfCircle(holder, seen);
			if (rest != null) {
				rest.add(0, new Link(wait, hold));
				return rest;
			}
		}
		return null;
	}

	private @Nullable List<Link> restOfCircle(Thread holder, List<Thread> seen) {
		if (holder == this.origin) {
			return new ArrayList<>();
		}
		seen.add(holder);
		for (Wait wait : this.waits) {
			if (wait.blocks(holder)) {
				return circleFrom(wait, seen);
			}
		}
		return null;
	}

	private record Link(Wait waiting, Hold hold) {

		@Override
		public String toString() {
			return "thread '%s' waits for %s, which thread '%s' holds".formatted(Wait.nameOf(this.waiting.thread()),
					this.waiting.request().id(), Wait.nameOf(this.hold.holder().thread()));
		}

	}

}
