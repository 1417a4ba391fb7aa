package io.interlock.zookeeper.internal.engine;

import java.util.List;
import java.util.function.Consumer;

import io.interlock.LockRequest;
import io.interlock.provider.LockAttempt;
import io.interlock.zookeeper.internal.node.LockParent;
import io.interlock.zookeeper.internal.node.LockPaths;
import io.interlock.zookeeper.internal.node.NodeName;
import io.interlock.zookeeper.internal.node.OwnerRecord;
import io.interlock.zookeeper.internal.session.ClientClosedException;
import io.interlock.zookeeper.internal.session.SessionLease;
import io.interlock.zookeeper.internal.session.SessionStatus;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * What attempts and holds need of the provider that they belong to. It is all that they
 * know of threads, clocks, sessions and servers, so that a simulation can take its place.
 */
interface Engine {

	/** Return the time, as {@link System#nanoTime()}. */
	long now();

	/** Return a time that the servers' clock has not reached, or the latest of all. */
	default long serverTimeAhead() {
		return Long.MAX_VALUE;
	}

	SessionStatus status();

	/**
	 * Return whether a session is certainly alive and connected, and stays so as long as
	 * the servers answer.
	 */
	boolean isGood(SessionLease session);

	/** Return whether a session is certainly alive, connected or not. */
	boolean covers(SessionLease session);

	/** Return whether a session has ended, is about to, or is given up by the clock. */
	boolean hasEnded(SessionLease session);

	/**
	 * Return what sends requests in the current session; {@code null} without a
	 * connection.
	 * @throws ClientClosedException if there will be none
	 */
	@Nullable Requests requests();

	/** Return what sends requests, even while the connection is interrupted. */
	@Nullable Requests anyRequests();

	/**
	 * Send a creation, with the ACL that the client gives to the path. If the ACL
	 * provider of the client is known, the request is sent once, in a known session. The
	 * ACL provider of an application's client cannot be read: its requests go through
	 * Curator, which may send them again after an interruption, in another session too.
	 */
	void create(Requests requests, String path, byte[] data, CreateMode mode, Requests.Creation answer);

	/** Replace a node in one transaction, with the ACL of the client. */
	void replace(Requests requests, String path, String by, byte[] data, Consumer<Code> answer);

	/** Resume an attempt after each connection and now and then, until it is removed. */
	void add(Attempt attempt, String lockPath);

	void remove(Attempt attempt);

	/** Keep the lease of a hold, which is lost at once if another session has begun. */
	void register(NodeGrant hold);

	void deregister(NodeGrant hold);

	/** Note that a hold or a wait is over, after its node was deleted. */
	void endUse(String lockPath);

	/**
	 * Make a parent and what is missing above it with Curator, on another thread: once in
	 * the life of a root path.
	 */
	void makeWithRoot(LockParent parent, Consumer<@Nullable Throwable> answer);

	/** Ask a quorum whether locks are held, all at one instant, and wait for it. */
	void verify(List<NodeGrant> holds);

	/** Deliver news of a hold on another thread. */
	void tell(Runnable news);

	/** Report once for each name that instances disagree about a semaphore's permits. */
	void disagree(LockRequest request, int otherPermits);

	/** Report once that a node keeps its lock for too long, and that it is ignored. */
	void ignore(String path);

	/** Return a path as a client without a namespace needs it. */
	String absolute(String path);

	ZooKeeperLockSettings settings();

	LockPaths paths();

	NodeName.Prefixes names();

	OwnerRecord ownerRecords();

	Deletions deletions();

	/** An attempt of an instance, whatever its recipe. */
	interface Attempt extends LockAttempt {

		LockRequest request();

		/** Continue an attempt that waits for a connection or for a good lease. */
		void resume();

		/** Fail, unless the outcome is decided. */
		void fail(Throwable failure);

	}

}
