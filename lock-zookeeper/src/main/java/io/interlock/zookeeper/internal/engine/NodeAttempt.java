package io.interlock.zookeeper.internal.engine;

import java.util.List;

import io.interlock.LockRequest;
import io.interlock.provider.LockCaller;
import io.interlock.zookeeper.internal.node.LockNode;
import io.interlock.zookeeper.internal.node.LockParent;
import io.interlock.zookeeper.internal.node.NodeName;
import io.interlock.zookeeper.internal.session.SessionLease;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * An attempt to get a lock in ZooKeeper, which needs no thread: creation and listing are
 * sent one after the other without waiting, and answers and watches of ZooKeeper drive it
 * from there. <pre>
 *   CONNECTING    waits for a connection
 *    |     |
 *    |  PROBING   a mere try reads whether the lock is held ---------------> ENDED: refused
 *    |     |
 *   CREATING      creation and listing are under way; makes the parent
 *    |     |
 *    |  LOOKING   lists the queue (again): for its place, or for the node
 *    |     |      of a creation whose answer was lost
 *    |     |
 *   QUEUED        others are in front, two of them are watched -----------> ENDED: refused
 *    |     |                                                                if it is a try
 *    |  CONFIRMING  first, and the lease is not good: asks a quorum
 *    |     |
 *   ENDED         granted, or failed, or given up: from every state
 * </pre> A node that is gone, and another session, lead back to CONNECTING from every
 * state; a place that is in doubt leads from QUEUED to LOOKING. Invariants, beside E1 of
 * {@link AttemptSteps} and E3 of {@link QueuedNode}:
 * <ul>
 * <li>E2: of all nodes that carry the uuid of the attempt the first one counts, and the
 * others are deleted; the attempt never waits for a node of its own.
 * <li>E4: an attempt that ends without a grant leaves neither node nor watch, whatever
 * was lost on the way.
 * </ul>
 */
final class NodeAttempt extends AttemptSteps {

	/** Enough for a parent that another client deletes again and again. */
	private static final int MAX_PARENTS = 200;

	private final LockCaller owner;

	private final String prefix;

	private boolean probed;

	private boolean creationUnanswered;

	/** Whether there may be a node whose creation was not answered. */
	private boolean answerLost;

	private boolean rootMissing;

	private int parentsMade;

	private long sessionId;

	private long sentAt;

	private @Nullable QueuedNode node;

	/** {@code writesFirst}: create the node before the lock is known to be free. */
	NodeAttempt(LockRequest request, LockCaller owner, Engine engine, TakenLocks taken, boolean writesFirst) {
		super(request, engine, taken);
		this.owner = owner;
		this.prefix = engine.names().next();
		this.probed = writesFirst;
	}

	@Override
	void goOn(Requests requests) {
		if (!is(State.CONNECTING) && this.sessionId != requests.sessionId()) {
			// All nodes and watches of the other session are gone.
			forget();
		}
		if (is(State.CONNECTING)) {
			create();
		}
		else if (is(State.LOOKING)) {
			look();
		}
		else if (this.node != null) {
			this.node.resume(requests);
		}
	}

	@Override
	void restart() {
		forget();
		create();
	}

	private void forget() {
		endWait();
		nextRound();
		this.answerLost = false;
		enter(State.CONNECTING);
	}

	private void endWait() {
		if (this.node != null) {
			this.node.end();
			this.node = null;
		}
	}

	private void create() {
		Requests requests = engine().requests();
		if (this.creationUnanswered || is(State.ENDED) || requests == null) {
			return;
		}
		int round = ask();
		this.sessionId = requests.sessionId();
		if (!this.probed) {
			enter(State.PROBING);
			requests.list(lockPath(), (code, names) -> make(round, () -> probed(code, names)));
			return;
		}
		enter(State.CREATING);
		// What is found later may be the node of an earlier request.
		this.sentAt = this.answerLost ? this.sentAt : engine().now();
		String kind = NodeName.kind(request(), engine().settings().peers(request().id().name()));
		engine().create(requests, lockPath() + "/" + this.prefix + kind,
				engine().ownerRecords().write(request().id(), this.owner), CreateMode.EPHEMERAL_SEQUENTIAL,
				(code, name, stat) -> make(() -> created(code, name, stat)));
		// After the call: one that fails gets no answer, and an answer that comes at once
		// is a later step.
		this.creationUnanswered = true;
		requests.list(lockPath(),
				(code, names) -> make(round, () -> listed(requests, code, names, false), names, this.prefix));
	}

	/**
	 * A mere try reads before it writes: on a lock that is held it costs one read,
	 * instead of two writes of the whole ensemble. The server may lag behind the others,
	 * so "held" may be a little late; "free" decides nothing.
	 */
	private void probed(Code code, List<String> names) {
		if (code != Code.OK && code != Code.NONODE) {
			interrupted(code, State.CONNECTING);
		}
		else if (isExcludedBy(new Listing(names))) {
			refuseAndEnd();
		}
		else {
			this.probed = true;
			create();
		}
	}

	private void created(Code code, @Nullable String name, @Nullable Stat stat) {
		if (!this.creationUnanswered) {
			// The call has failed, so a listing looks for the node.
			return;
		}
		this.creationUnanswered = false;
		LockNode made = LockNode.of(lockPath(), name, stat, this.sentAt, engine().now());
		if (is(State.ENDED)) {
			leave((made != null) ? made.path() : null, ProviderFailures.isTransient(code) ? this.prefix : null);
		}
		else if (made != null) {
			created(made);
		}
		else if (code == Code.NONODE) {
			makeParent();
		}
		else {
			this.answerLost = true;
			interrupted(code, State.LOOKING);
		}
	}

	private void created(LockNode made) {
		SessionLease lease = engine().status().leaseOf(made.sessionId());
		if (lease == null) {
			engine().deletions().delete(made.path());
			restart();
			return;
		}
		// So that a deadline before the first beat knows that the servers answer.
		lease.confirmed(this.sentAt, engine().now());
		this.sessionId = made.sessionId();
		this.node = new QueuedNode(this, made);
		look();
	}

	/**
	 * Make the parent, and send the next requests behind its creation without waiting.
	 */
	private void makeParent() {
		Requests requests = engine().requests();
		forget();
		if (requests == null) {
			return;
		}
		Assert.state(++this.parentsMade <= MAX_PARENTS,
				() -> "The parent %s was deleted each of the %d times it was created".formatted(lockPath(),
						MAX_PARENTS));
		LockParent parent = engine().settings().parent(engine().paths(), request().id());
		enter(State.CREATING);
		if (this.rootMissing) {
			engine().makeWithRoot(parent, (failure) -> make(() -> rootMade(failure)));
			return;
		}
		engine().create(requests, parent.path(), parent.data(), parent.mode(),
				(code, name, stat) -> make(() -> parentMade(code)));
		create();
	}

	private void parentMade(Code code) {
		this.rootMissing = code == Code.NONODE;
		if (code == Code.UNIMPLEMENTED) {
			// The server has no containers. The creation of the node fails next for want
			// of a parent, and makes a plain one.
			engine().paths().becomePlain();
		}
		else if (code != Code.OK && code != Code.NODEEXISTS && !ProviderFailures.isTransient(code)) {
			failAndEnd(KeeperException.create(code, lockPath()));
		}
	}

	private void rootMade(@Nullable Throwable failure) {
		if (failure == null) {
			this.rootMissing = false;
			create();
		}
		else {
			interrupted(failure, State.CONNECTING);
		}
	}

	/**
	 * List the queue: for the place of the node, or for the node itself if the answer to
	 * its creation was lost. Then the server has to catch up first, because it may lag
	 * behind the one that took the creation.
	 */
	@Override
	void look() {
		Requests requests = engine().requests();
		if (isAsked() || this.creationUnanswered) {
			return;
		}
		enter(State.LOOKING);
		if (requests != null) {
			int round = ask();
			requests.list(lockPath(), this.node == null,
					(code, names) -> make(round, () -> listed(requests, code, names, true), names, this.prefix));
		}
	}

	private void listed(Requests requests, Code code, List<String> names, boolean afterCreation) {
		answered();
		if (this.node == null && (this.creationUnanswered || !afterCreation)) {
			// The answer to the creation says how to go on.
			return;
		}
		if (code == Code.NONODE) {
			restart();
		}
		else if (code != Code.OK) {
			interrupted(code, State.LOOKING);
		}
		else {
			listed(requests, new Listing(names), this.node, afterCreation);
		}
	}

	private void listed(Requests requests, Listing listing, @Nullable QueuedNode current, boolean afterCreation) {
		List<String> own = listing.nodesOf(this.prefix);
		if (current != null && (own.isEmpty() || own.get(0).equals(current.name()))) {
			own.stream().skip(1).forEach((other) -> engine().deletions().delete(lockPath() + "/" + other));
			current.judge(requests, listing, afterCreation);
		}
		else if (!own.isEmpty()) {
			String path = lockPath() + "/" + own.get(0);
			enter(State.LOOKING);
			int round = ask();
			requests.stat(path, (code, stat) -> make(round, () -> found(path, code, stat)));
		}
		else {
			enter(State.CONNECTING);
			create();
		}
	}

	/** Take over a node whose creation was not answered. */
	private void found(String path, Code code, @Nullable Stat stat) {
		answered();
		if (stat == null && code != Code.NONODE) {
			interrupted(code, State.LOOKING);
			return;
		}
		LockNode made = LockNode.of(lockPath(), path, stat, this.sentAt, engine().now());
		if (made != null && made.sessionId() == this.sessionId) {
			this.node = new QueuedNode(this, made);
		}
		else if (made != null) {
			// A node of another session, which is about to end.
			engine().deletions().delete(path);
		}
		look();
	}

	@Override
	void grantAndEnd(NodeGrant hold) {
		this.node = null;
		enterEnd();
		if (this.answerLost) {
			hold.sweep(this.prefix);
		}
		grantLater(hold);
	}

	@Override
	void failAndEnd(Throwable failure) {
		// A call that ends in an error may have sent its request.
		this.answerLost |= failure instanceof Error;
		if (!is(State.ENDED)) {
			end();
			failLater(failure);
		}
	}

	private void enterEnd() {
		enter(State.ENDED);
		nextRound();
		engine().remove(this);
	}

	@Override
	void end() {
		if (is(State.ENDED)) {
			return;
		}
		enterEnd();
		if (this.creationUnanswered) {
			leaveLater();
		}
		else {
			leave((this.node != null) ? this.node.path() : null, this.answerLost ? this.prefix : null);
		}
		endWait();
	}

}
