package io.interlock.zookeeper.internal.node;

import java.security.SecureRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

import io.interlock.LockRequest;
import io.interlock.zookeeper.Peers;

/**
 * Names the nodes of attempts as Curator does: {@code _c_<uuid>-lock-} and a number from
 * the servers. The uuid identifies the node of an attempt when the answer to its creation
 * was lost. It is unique: one half is random for this object, the other half counts
 * attempts.
 *
 * @since 0.1.0
 */
public final class NodeNames {

	private final long instance;

	private final AtomicLong attempts = new AtomicLong();

	public NodeNames() {
		this(new SecureRandom().nextLong());
	}

	/** Create the names of one instance, whose number no other instance has. */
	public NodeNames(long instance) {
		this.instance = instance;
	}

	/** Return the unique protection prefix of an attempt, as Curator writes it. */
	public String next() {
		return "_c_" + new UUID(this.instance, this.attempts.incrementAndGet()) + "-";
	}

	/** Return the part of a node's name between the uuid and the number. */
	public static String kind(LockRequest request, Peers peers) {
		return KeptNode.mark(request) + switch (request.mode()) {
			case EXCLUSIVE -> (peers == Peers.READ_WRITE) ? "__WRIT__" : "lock-";
			case SHARED -> "__READ__";
			case PERMIT -> "permit-" + request.permits() + "-";
		};
	}

}
