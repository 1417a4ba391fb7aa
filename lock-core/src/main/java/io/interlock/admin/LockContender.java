package io.interlock.admin;

import java.time.Duration;
import java.time.Instant;

import io.interlock.LockMode;
import io.interlock.LockOperator;
import org.jspecify.annotations.Nullable;

/**
 * A contender for a lock: a node in its queue in ZooKeeper, or a contender in a database
 * or Redis.
 *
 * @param position place in the queue, 0 for the first
 * @param node name of the node, or identifier of the contender
 * @param kind kind of client that makes such nodes
 * @param mode mode of the request
 * @param token fencing token: the transaction that created the node; {@code null} if the
 * node has gone or may not be read. A waiter in a database or Redis has a number that no
 * other contender has, until it gets its token with the lock
 * @param session session of the node; {@code null} also for a node without a session,
 * which stays until it is deleted, and in stores without sessions
 * @param since when the node was created, by the clock of the servers, so that the time
 * of a holder includes its wait. In a database or Redis when a holder got the lock, by
 * the clock of the store, and when a waiter began to wait, by the clock of its machine
 * @param age time since then by the clock of this machine, wrong by the difference of the
 * clocks
 * @param owner owner of the node by its data
 * @param name the owner in one line, for people; {@code null} if the owner is unknown
 * @param keptUntil end of the minimum hold time, by the clock of the servers, if this
 * node keeps the lock without a holder; {@code null} otherwise
 * @param heldByOperator name of the operator in whose name the lock is asked for
 * @param reason why the operator holds the lock, if it said so
 * @param leaseEnd end of the lease, by the clock of the database or of Redis, unless it
 * is renewed; {@code null} for a node
 * @since 0.1.0
 */
public record LockContender(int position, String node, Kind kind, LockMode mode, @Nullable Long token,
		@Nullable String session, @Nullable Instant since, @Nullable Duration age, @Nullable ContenderOwner owner,
		@Nullable String name, @Nullable Instant keptUntil, @Nullable String heldByOperator, @Nullable String reason,
		@Nullable Instant leaseEnd) {

	/** Create a contender with the {@link ContenderOwner#summary() summary} as name. */
	public LockContender(int position, String node, Kind kind, LockMode mode, @Nullable Long token,
			@Nullable String session, @Nullable Instant since, @Nullable Duration age, @Nullable ContenderOwner owner) {
		this(position, node, kind, mode, token, session, since, age, owner, (owner != null) ? owner.summary() : null,
				(owner != null) ? LockOperator.of(owner.thread()) : null);
	}

	private LockContender(int position, String node, Kind kind, LockMode mode, @Nullable Long token,
			@Nullable String session, @Nullable Instant since, @Nullable Duration age, @Nullable ContenderOwner owner,
			@Nullable String name, @Nullable LockOperator operator) {
		this(position, node, kind, mode, token, session, since, age, owner, name, null,
				(operator != null) ? operator.name() : null, (operator != null) ? operator.reason() : null, null);
	}

	/** Return this contender, as one that keeps the lock without a holder until then. */
	public LockContender keptUntil(Instant end) {
		return new LockContender(this.position, this.node, this.kind, this.mode, this.token, this.session, this.since,
				this.age, this.owner, this.name, end, this.heldByOperator, this.reason, this.leaseEnd);
	}

	/**
	 * Return the operator, or the name, and until when it keeps the lock, in one line.
	 */
	@Nullable String summary() {
		String instance = (this.owner != null) ? this.owner.instance() : null;
		String operator = (instance != null) ? this.heldByOperator : null;
		String who = (operator != null) ? "%s at %s".formatted(new LockOperator(operator, this.reason).text(), instance)
				: this.name;
		if (who == null || this.keptUntil == null) {
			return who;
		}
		return "%s until %s%s".formatted(who, this.keptUntil, (operator != null) ? "" : ", for its minimum hold time");
	}

	/** Return this contender with the end of its lease. */
	public LockContender leasedUntil(Instant end) {
		return new LockContender(this.position, this.node, this.kind, this.mode, this.token, this.session, this.since,
				this.age, this.owner, this.name, this.keptUntil, this.heldByOperator, this.reason, end);
	}

	/**
	 * Kinds of clients, by the names of their nodes. Interlock names the nodes of
	 * exclusive locks like Curator's mutex or write lock, and of shared locks like its
	 * read lock. Kazoo's lock and write lock look the same. A mere number counts as
	 * Curator's mutex. Nodes of permits and kept locks are Interlock's own, and so are
	 * contenders in a database or Redis.
	 */
	public enum Kind {

		CURATOR_MUTEX, CURATOR_WRITE, CURATOR_READ, KAZOO_LOCK, KAZOO_READ, INTERLOCK_PERMIT, INTERLOCK_KEPT,
		INTERLOCK_LEASE

	}

}
