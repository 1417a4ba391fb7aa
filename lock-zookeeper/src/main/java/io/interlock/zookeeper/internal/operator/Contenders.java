package io.interlock.zookeeper.internal.operator;

import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import io.interlock.LockMode;
import io.interlock.zookeeper.internal.node.MinHoldNode;
import io.interlock.zookeeper.internal.node.NodeName;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The contenders for one lock at one moment, in the order in which they hold it: those
 * that keep it without a holder come before the queue. Immutable.
 */
record Contenders(List<NodeName> inOrder) {

	static Contenders of(List<NodeName> keeping, List<NodeName> queue) {
		return new Contenders(Stream.concat(keeping.stream(), queue.stream()).toList());
	}

	/** Find the nodes that keep the lock without a holder. */
	static List<NodeName> keeping(List<String> names, Instant now) {
		return names.stream()
			.filter((name) -> keeps(name, now))
			.sorted()
			.flatMap((name) -> Stream.ofNullable(MinHoldNode.parse(name)))
			.map((node) -> new NodeName(node.name(), node.mode(), 0, node.permits()))
			.toList();
	}

	static boolean keeps(String name, Instant now) {
		MinHoldNode node = MinHoldNode.parse(name);
		return node != null && node.keepsAt(now.toEpochMilli());
	}

	/** Find the nodes that hold the lock, keep it or wait for it, or have kept it. */
	static List<String> among(List<String> children) {
		return children.stream().filter((name) -> keptUntil(name) != null || NodeName.parse(name) != null).toList();
	}

	/**
	 * Return until when a node keeps the lock without a holder, if it is one of those.
	 */
	static @Nullable Instant keptUntil(String name) {
		MinHoldNode node = MinHoldNode.parse(name);
		return (node != null) ? Instant.ofEpochMilli(node.end()) : null;
	}

	/**
	 * Return the token of the hold that a node represents or has replaced; {@code null}
	 * if nothing tells it.
	 */
	static @Nullable Long token(String name, @Nullable Stat stat) {
		MinHoldNode node = MinHoldNode.parse(name);
		if (node != null) {
			return node.token();
		}
		return (stat != null) ? stat.getCzxid() : null;
	}

	/** Count the contenders at the head that hold the lock. */
	int holders() {
		LockMode mode = this.inOrder.isEmpty() ? LockMode.EXCLUSIVE : this.inOrder.get(0).mode();
		if (mode == LockMode.EXCLUSIVE) {
			return Math.min(1, this.inOrder.size());
		}
		int together = (int) this.inOrder.stream().takeWhile((contender) -> contender.mode() == mode).count();
		int permits = this.inOrder.stream()
			.filter((contender) -> contender.mode() == LockMode.PERMIT)
			.mapToInt(NodeName::permits)
			.min()
			.orElse(together);
		return (mode == LockMode.PERMIT) ? Math.min(together, permits) : together;
	}

	/** Return whether a contender waits behind the holders. */
	boolean waits(String name) {
		return this.inOrder.stream().skip(holders()).anyMatch((contender) -> contender.name().equals(name));
	}

}
