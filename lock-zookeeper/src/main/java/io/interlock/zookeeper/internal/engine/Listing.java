package io.interlock.zookeeper.internal.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.zookeeper.internal.node.MinHoldNode;
import io.interlock.zookeeper.internal.node.NodeName;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/** The queue of a lock as one listing shows it. */
record Listing(List<NodeName> contenders, List<MinHoldNode> kept) {

	Listing(List<String> names) {
		this(NodeName.parseAll(names), MinHoldNode.parseAll(names));
	}

	/**
	 * Return the queue at a time of the servers' clock: without minimum times that are
	 * over, or too long.
	 */
	Listing at(long time) {
		return this.kept.isEmpty() ? this
				: new Listing(this.contenders, this.kept.stream().filter((node) -> node.keepsAt(time)).toList());
	}

	/** Return the nodes whose minimum time is over at a time of the servers' clock. */
	List<String> keptBefore(long time) {
		return keptNames((node) -> node.end() <= time);
	}

	/** Return the nodes that would keep the lock for longer than any minimum time. */
	List<String> keptTooLong(long time) {
		return keptNames((node) -> node.isTooFarAheadAt(time));
	}

	private List<String> keptNames(Predicate<MinHoldNode> which) {
		return this.kept.isEmpty() ? List.of() : this.kept.stream().filter(which).map(MinHoldNode::name).toList();
	}

	/** Return when the first minimum time ends, by the servers' clock. */
	long firstEnd() {
		long first = Long.MAX_VALUE;
		for (MinHoldNode node : this.kept) {
			first = Math.min(first, node.end());
		}
		return first;
	}

	/** Return whether a new attempt has to wait at a time, which may be in the future. */
	boolean excludes(LockRequest request, long time) {
		Listing then = at(time);
		LockMode mode = request.mode();
		return then.contenders.stream().anyMatch((contender) -> contender.excludes(mode))
				|| then.kept.stream().anyMatch((node) -> node.mode().excludes(mode)) || (mode == LockMode.PERMIT
						&& then.contenders.size() + then.kept.size() >= Math.min(request.permits(), then.permits()));
	}

	/** Return the smallest number of permits, of contenders and of kept permits. */
	int permits() {
		return IntStream
			.concat(permitsOfContenders(),
					this.kept.stream().filter((node) -> node.mode() == LockMode.PERMIT).mapToInt(MinHoldNode::permits))
			.min()
			.orElse(Integer.MAX_VALUE);
	}

	private IntStream permitsOfContenders() {
		return this.contenders.stream()
			.filter((contender) -> contender.mode() == LockMode.PERMIT)
			.mapToInt(NodeName::permits);
	}

	/** Find a contender with another number of permits, and return that number. */
	OptionalInt otherPermits(int permits) {
		return permitsOfContenders().filter((other) -> other != permits).findFirst();
	}

	/** Return the nodes of one attempt, in the order of their numbers. */
	List<String> nodesOf(String prefix) {
		List<NodeName> nodes = new ArrayList<>(1);
		for (NodeName contender : this.contenders) {
			if (contender.name().startsWith(prefix)) {
				nodes.add(contender);
			}
		}
		if (nodes.size() > 1) {
			nodes.sort(NodeName.BY_SEQUENCE);
		}
		return nodes.stream().map(NodeName::name).toList();
	}

	/**
	 * Find the place of a node; {@code null} if it is not there. Where sequence numbers
	 * cannot be trusted, the order of the transactions that created the contenders
	 * counts, at one read for each.
	 */
	CompletableFuture<@Nullable Position> place(Requests requests, String lockPath, String name, LockMode mode) {
		if (NodeName.areOrderedBySequence(this.contenders)) {
			return CompletableFuture.completedFuture(bySequence(name, mode));
		}
		return creations(requests, lockPath)
			.thenApply((created) -> inOrder(NodeName.inOrder(this.contenders, created), name, mode));
	}

	/**
	 * Return whether others are in front of a node, without those that are about to go.
	 * Where sequence numbers cannot be trusted, it is not known.
	 */
	boolean isTakenBefore(String name, LockMode mode, Predicate<String> going) {
		List<NodeName> staying = new ArrayList<>(this.contenders.size());
		for (NodeName contender : this.contenders) {
			if (contender.name().equals(name) || !going.test(contender.name())) {
				staying.add(contender);
			}
		}
		Position place = NodeName.areOrderedBySequence(staying) ? new Listing(staying, this.kept).bySequence(name, mode)
				: null;
		return place != null && !place.inFront().isEmpty();
	}

	/**
	 * Return whether a node that may be one of another instance is in the way of a mode:
	 * a contender, or a node that keeps the lock. A permit may wait for any of them.
	 * @param own the node behind which no other counts; {@code null} if all count
	 * @param ours tells nodes of this instance
	 */
	boolean isTakenByOthers(@Nullable String own, LockMode mode, Predicate<String> ours) {
		for (MinHoldNode node : this.kept) {
			if (mode == LockMode.PERMIT || node.mode().excludes(mode)) {
				return true;
			}
		}
		NodeName place = (own != null && NodeName.areOrderedBySequence(this.contenders)) ? NodeName.parse(own) : null;
		for (NodeName other : this.contenders) {
			boolean before = place == null || NodeName.BY_SEQUENCE.compare(other, place) < 0;
			if (before && (mode == LockMode.PERMIT || other.excludes(mode)) && !ours.test(other.name())) {
				return true;
			}
		}
		return false;
	}

	private @Nullable NodeName find(String name) {
		for (NodeName contender : this.contenders) {
			if (contender.name().equals(name)) {
				return contender;
			}
		}
		return null;
	}

	private @Nullable Position bySequence(String name, LockMode mode) {
		NodeName ours = find(name);
		if (ours == null) {
			return null;
		}
		if (mode == LockMode.PERMIT) {
			return amongPermits(this.contenders.stream().sorted(NodeName.BY_SEQUENCE).toList(), name);
		}
		NodeName nearest = null;
		NodeName next = null;
		int before = 0;
		for (NodeName other : this.contenders) {
			if (other.excludes(mode) && NodeName.BY_SEQUENCE.compare(other, ours) < 0) {
				before++;
				if (nearest == null || NodeName.BY_SEQUENCE.compare(other, nearest) > 0) {
					next = nearest;
					nearest = other;
				}
				else if (next == null || NodeName.BY_SEQUENCE.compare(other, next) > 0) {
					next = other;
				}
			}
		}
		List<String> inFront = new ArrayList<>(2);
		boolean replaced = false;
		for (NodeName other : Arrays.asList(nearest, next)) {
			if (other != null) {
				inFront.add(other.name());
				replaced |= other.mayBeReplaced(mode) || other.mayBeKept();
			}
		}
		return behindKept(new Position(inFront, areAll(inFront, before) && !replaced), mode);
	}

	/** Return whether no more are in front than the nearest ones. */
	private static boolean areAll(List<String> nearest, int inFront) {
		return nearest.size() == inFront;
	}

	/**
	 * Put a node that keeps the lock in front, if no contender is in front. It may
	 * outlast the contenders, so their end is not decisive.
	 */
	private Position behindKept(Position place, LockMode mode) {
		for (MinHoldNode node : this.kept) {
			if (node.mode().excludes(mode)) {
				return new Position(place.inFront().isEmpty() ? List.of(node.name()) : place.inFront(), false);
			}
		}
		return place;
	}

	/**
	 * Find the place of a node among the permits. A node is first while fewer others than
	 * permits are in front of it. The smallest number of permits counts.
	 */
	private @Nullable Position amongPermits(List<NodeName> ordered, String name) {
		boolean excluded = this.kept.stream().anyMatch((node) -> node.mode().excludes(LockMode.PERMIT));
		int free = excluded ? 0 : permits() - this.kept.size();
		String nearest = this.kept.isEmpty() ? null : this.kept.get(0).name();
		for (NodeName other : ordered) {
			if (other.name().equals(name)) {
				return Position.behind((free > 0) ? null : nearest);
			}
			free = other.excludes(LockMode.PERMIT) ? 0 : free - 1;
			nearest = other.name();
		}
		return null;
	}

	private @Nullable Position inOrder(List<NodeName> ordered, String name, LockMode mode) {
		if (mode == LockMode.PERMIT) {
			return amongPermits(ordered, name);
		}
		String nearest = null;
		for (NodeName other : ordered) {
			if (other.name().equals(name)) {
				return behindKept(Position.behind(nearest), mode);
			}
			nearest = other.excludes(mode) ? other.name() : nearest;
		}
		return null;
	}

	private CompletableFuture<Map<String, Long>> creations(Requests requests, String lockPath) {
		Map<String, Long> created = new ConcurrentHashMap<>();
		List<CompletableFuture<?>> reads = new ArrayList<>();
		for (NodeName contender : this.contenders) {
			CompletableFuture<?> read = new CompletableFuture<>();
			reads.add(read);
			requests.stat(lockPath + "/" + contender.name(), (code, stat) -> {
				if (stat != null) {
					created.put(contender.name(), stat.getCzxid());
				}
				if (code == Code.OK || code == Code.NONODE) {
					read.complete(null);
				}
				else {
					read.completeExceptionally(KeeperException.create(code, lockPath));
				}
			});
		}
		return CompletableFuture.allOf(reads.toArray(CompletableFuture[]::new)).thenApply((done) -> created);
	}

	/**
	 * The place of a node.
	 *
	 * @param inFront names of the contenders before the node that exclude it, the nearest
	 * one first and two at the most; none if it is first
	 * @param decisive whether the node is first as soon as those have gone: there are no
	 * others, and none can come in
	 */
	record Position(List<String> inFront, boolean decisive) {

		static Position behind(@Nullable String predecessor) {
			return new Position((predecessor != null) ? List.of(predecessor) : List.of(), false);
		}

	}

}
