package io.interlock.zookeeper.internal.engine;

import io.interlock.LockMode;
import io.interlock.zookeeper.internal.node.MinHoldNode;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * A node below the lock, with the transactions that made, changed and deleted it. A
 * server that has applied a part of the log sees the node as it was then. Not modelled:
 * its data, and more than one change of it. A node that keeps the lock belongs to no
 * session, and stands behind all others.
 */
final class SimulatedNode {

	final String name;

	final LockMode mode;

	final int sequence;

	final SimulatedSession session;

	/** The contender that asked for the node. */
	final int contender;

	final int createdAt;

	/** When it was created, in milliseconds of the servers' clock. */
	final long ctime;

	/** What the name says, if this node keeps the lock. */
	final @Nullable MinHoldNode kept;

	int changedAt;

	int deletedAt;

	boolean deletedByOperator;

	/** Deleted, or replaced by one that keeps the lock, on request. */
	boolean deletedByRequest;

	/** Deleted for another contender while it kept the lock. */
	boolean deletedTooEarly;

	/** Made by a stock contender to go on with a hold that it has lost. */
	boolean ofLostHold;

	SimulatedNode(String name, int sequence, SimulatedSession session, int contender, int createdAt, long ctime) {
		this.name = name;
		this.kept = MinHoldNode.parse(name);
		this.ctime = ctime;
		this.mode = (this.kept != null) ? this.kept.mode() : mode(name);
		this.sequence = sequence;
		this.session = session;
		this.contender = contender;
		this.createdAt = createdAt;
	}

	private static LockMode mode(String name) {
		if (name.contains("__READ__")) {
			return LockMode.SHARED;
		}
		return name.contains("permit-") ? LockMode.PERMIT : LockMode.EXCLUSIVE;
	}

	boolean isThere(int zxid) {
		return this.createdAt <= zxid && (this.deletedAt == 0 || this.deletedAt > zxid);
	}

	boolean isThere() {
		return this.deletedAt == 0;
	}

	/** Return whether a contender may act on this node. */
	boolean counts() {
		return !this.deletedByOperator && !this.ofLostHold;
	}

	boolean excludes(@Nullable SimulatedNode other) {
		return other != null && this.mode.excludes(other.mode);
	}

	Stat stat() {
		Stat stat = new Stat();
		stat.setCzxid(this.createdAt);
		stat.setCtime(this.ctime);
		stat.setEphemeralOwner(this.session.id);
		return stat;
	}

	/** Return whether this node keeps the lock at a time of the servers' clock. */
	boolean keeps(long time) {
		return this.kept != null && isThere() && time < this.kept.end();
	}

	@Override
	public String toString() {
		if (this.kept != null) {
			return this.name;
		}
		return "n" + this.createdAt + "(" + this.name.substring(this.name.lastIndexOf('-', this.name.length() - 11) + 1)
				+ ")";
	}

}
