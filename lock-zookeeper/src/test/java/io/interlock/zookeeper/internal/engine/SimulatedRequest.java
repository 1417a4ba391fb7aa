package io.interlock.zookeeper.internal.engine;

import java.util.List;
import java.util.function.Consumer;

import io.interlock.zookeeper.internal.node.MinHoldNode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * A request, and its answer when it has one.
 */
final class SimulatedRequest implements SimulatedMessage {

	final Kind kind;

	final String path;

	/** The contender that sent it, or -1. */
	final int contender;

	final Consumer<SimulatedRequest> onAnswer;

	/** What to tell of an event, if the request sets a watch. */
	final @Nullable Consumer<EventType> onEvent;

	/** What replaces the node of the path. */
	@Nullable MinHoldNode by;

	@Nullable SimulatedSession session;

	/** Whether the answer is an error that says nothing about what was done. */
	boolean fails;

	/** Whether the leader has executed it. */
	boolean done;

	int zxid;

	Code code = Code.OK;

	@Nullable SimulatedNode node;

	List<String> names = List.of();

	/** The writes of a transaction. */
	List<SimulatedRequest> parts = List.of();

	SimulatedRequest(Kind kind, String path, int contender, Consumer<SimulatedRequest> onAnswer,
			@Nullable Consumer<EventType> onEvent) {
		this.kind = kind;
		this.path = path;
		this.contender = contender;
		this.onAnswer = onAnswer;
		this.onEvent = onEvent;
	}

	@Override
	public int zxid() {
		return this.zxid;
	}

	/** Return whether a server that has answered will tell of an event. */
	boolean leavesWatch() {
		return this.onEvent != null && this.code == Code.OK;
	}

	@Nullable Stat stat() {
		return (this.code == Code.OK && this.node != null) ? this.node.stat() : null;
	}

	/** Return the results of a transaction that the servers have answered. */
	@Nullable List<OpResult> results() {
		if (this.parts.isEmpty() || this.fails) {
			return null;
		}
		return this.parts.stream().map(this::result).toList();
	}

	private OpResult result(SimulatedRequest part) {
		if (this.code != Code.OK) {
			return new OpResult.ErrorResult(part.code.intValue());
		}
		return (part.kind == Kind.CREATE)
				? new OpResult.CreateResult(part.path.substring(0, part.path.lastIndexOf('/') + 1) + part.node.name,
						part.node.stat())
				: new OpResult.DeleteResult();
	}

	@Override
	public String toString() {
		String about = (this.kind == Kind.LIST || this.kind == Kind.SYNC || this.kind == Kind.BEAT) ? ""
				: " " + this.path.substring(this.path.lastIndexOf('/') + 1);
		return this.kind + about + (this.parts.isEmpty() ? "" : this.parts.toString())
				+ ((this.contender >= 0) ? " of c" + this.contender : "");
	}

	/**
	 * Kinds of requests.
	 */
	enum Kind {

		CREATE(true), DOWNGRADE(true), PARENT(true), DELETE(true), REPLACE(true), CHECK(true), BEAT(true), SYNC(true),
		MULTI(true), LIST(false), STAT(false), WATCH(false), UNWATCH(false);

		final boolean isForLeader;

		Kind(boolean isForLeader) {
			this.isForLeader = isForLeader;
		}

	}

}
