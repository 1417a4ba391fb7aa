package io.interlock.zookeeper.internal.engine;

import java.util.List;

import io.interlock.LockRequest;
import io.interlock.provider.LockCaller;
import io.interlock.zookeeper.internal.node.LockNode;
import io.interlock.zookeeper.internal.node.NodeName;
import io.interlock.zookeeper.internal.session.SessionLease;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * An attempt that needs no thread: creation and listing are sent one after the other
 * without waiting, and answers and watches of ZooKeeper drive it from there. Invariants:
 * <ul>
 * <li>E2: of all nodes that carry the uuid of the attempt the first one counts, and the
 * others are deleted; the attempt never waits for a node of its own.
 * <li>E4: an attempt that ends without a grant leaves neither node nor watch, whatever
 * was lost on the way.
 * </ul>
 */
final class PipelinedAttempt extends Attempt {

	private final String prefix;

	private final ParentCreation parents = new ParentCreation(this);

	private final Steps steps = new Steps(this::failAndEnd);

	private boolean probed;

	private boolean creationUnanswered;

	/** Whether there may be a node whose creation was not answered. */
	private boolean answerLost;

	private long sessionId;

	private long sentAt;

	private @Nullable Turn turn;

	/**
	 * Create an attempt.
	 * @param writesFirst whether to create the node before it is known whether the lock
	 * is free
	 */
	PipelinedAttempt(LockRequest request, LockCaller owner, Engine engine, boolean writesFirst) {
		super(request, owner, engine);
		this.prefix = engine.names().next();
		this.probed = writesFirst;
	}

	@Override
	void start() {
		engine().add(this);
		resume();
	}

	@Override
	void stop() {
		this.steps.make(this::end);
	}

	@Override
	void resume() {
		this.steps.make(() -> {
			Requests requests = (!is(Attempt.State.ENDED)) ? engine().requests() : null;
			if (requests != null) {
				goOn(requests);
			}
		});
	}

	private void goOn(Requests requests) {
		if (!is(Attempt.State.CONNECTING) && this.sessionId != requests.sessionId()) {
			// All nodes and watches of the other session are gone.
			forget();
		}
		if (is(Attempt.State.CONNECTING)) {
			create();
		}
		else if (is(Attempt.State.LOOKING)) {
			look();
		}
		else if (this.turn != null) {
			this.turn.resume(requests);
		}
	}

	/** Start from the back of the queue: the node is gone. */
	void restart() {
		forget();
		create();
	}

	private void forget() {
		endTurn();
		this.steps.nextRound();
		this.answerLost = false;
		enter(Attempt.State.CONNECTING);
	}

	private void endTurn() {
		if (this.turn != null) {
			this.turn.end();
			this.turn = null;
		}
	}

	private void create() {
		Requests requests = engine().requests();
		if (this.creationUnanswered || is(Attempt.State.ENDED) || requests == null) {
			return;
		}
		int round = this.steps.ask();
		this.sessionId = requests.sessionId();
		if (!this.probed) {
			enter(Attempt.State.PROBING);
			requests.list(lockPath(), (code, names) -> this.steps.make(round, () -> probed(requests, code, names)));
			return;
		}
		enter(Attempt.State.CREATING);
		// What is found later may be the node of the first request.
		this.sentAt = this.answerLost ? this.sentAt : engine().now();
		String kind = NodeName.kind(request(), engine().settings().peers(request().id().name()));
		engine().create(requests, lockPath() + "/" + this.prefix + kind, nodeData(), CreateMode.EPHEMERAL_SEQUENTIAL,
				(code, name, stat) -> this.steps.make(() -> created(code, name, stat)));
		// A call that fails owes no answer; one that comes at once is a later step.
		this.creationUnanswered = true;
		requests.list(lockPath(), (code, names) -> this.steps.make(round, () -> listed(requests, code, names, false)));
	}

	/**
	 * A mere try reads before it writes: on a lock that is held it costs one read,
	 * instead of two writes of the whole ensemble. The server may lag behind the others,
	 * so "held" may be a little late; "free" decides nothing.
	 */
	private void probed(Requests requests, Code code, List<String> names) {
		if (code != Code.OK && code != Code.NONODE) {
			interrupted(code, Attempt.State.CONNECTING);
		}
		else if (new Listing(names).excludes(request(), engine().serverTimeAhead())) {
			refuseAndEnd();
		}
		else {
			this.probed = true;
			create();
		}
	}

	private void created(Code code, @Nullable String name, @Nullable Stat stat) {
		if (!this.creationUnanswered) {
			// Its call failed, and the node is looked for.
			return;
		}
		this.creationUnanswered = false;
		LockNode made = LockNode.of(lockPath(), name, stat, this.sentAt, engine().now());
		if (is(Attempt.State.ENDED)) {
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
			interrupted(code, Attempt.State.LOOKING);
		}
	}

	private void created(LockNode node) {
		SessionLease lease = engine().status().leaseOf(node.sessionId());
		if (lease == null) {
			engine().deletions().delete(node.path());
			restart();
			return;
		}
		// A deadline before the first beat must find out that the servers answer.
		lease.confirmed(this.sentAt, engine().now());
		this.turn = new Turn(this, this.steps, node);
		this.sessionId = node.sessionId();
		look();
	}

	private void makeParent() {
		Requests requests = engine().requests();
		forget();
		if (requests != null) {
			enter(Attempt.State.CREATING);
			this.parents.begin(requests, () -> this.steps.make(this::create), (failure) -> this.steps.make(() -> {
				if (ProviderFailures.isTransient(failure) && !is(Attempt.State.ENDED)) {
					enter(Attempt.State.CONNECTING);
				}
				else {
					failAndEnd(failure);
				}
			}));
		}
	}

	/** Wait for the next connection, or give up for good. */
	void interrupted(Code code, Attempt.State next) {
		if (ProviderFailures.isTransient(code)) {
			this.steps.nextRound();
			enter(next);
		}
		else {
			failAndEnd(ProviderFailures.of(code, lockPath(), engine().requests()));
		}
	}

	/**
	 * Look at the queue: for the place of the node, or for the node if the answer to its
	 * creation was lost. A server may lag behind the one that took the creation.
	 */
	void look() {
		Requests requests = engine().requests();
		if (this.steps.isAsked() || this.creationUnanswered) {
			return;
		}
		enter(Attempt.State.LOOKING);
		if (requests == null) {
			return;
		}
		int round = this.steps.ask();
		requests.list(lockPath(), this.turn == null,
				(code, names) -> this.steps.make(round, () -> listed(requests, code, names, true)));
	}

	private void listed(Requests requests, Code code, List<String> names, boolean afterCreation) {
		this.steps.answered();
		if (this.turn == null && (this.creationUnanswered || !afterCreation)) {
			// The answer to the creation says how to go on.
			return;
		}
		if (code == Code.NONODE) {
			restart();
		}
		else if (code != Code.OK) {
			interrupted(code, Attempt.State.LOOKING);
		}
		else {
			listed(requests, new Listing(names), this.turn, afterCreation);
		}
	}

	private void listed(Requests requests, Listing listing, @Nullable Turn current, boolean afterCreation) {
		List<String> own = listing.nodesOf(this.prefix);
		if (current != null && (own.isEmpty() || own.get(0).equals(current.node().name()))) {
			own.stream().skip(1).forEach((other) -> engine().deletions().delete(lockPath() + "/" + other));
			current.judge(requests, listing, afterCreation);
		}
		else if (!own.isEmpty()) {
			String path = lockPath() + "/" + own.get(0);
			enter(Attempt.State.LOOKING);
			int round = this.steps.ask();
			requests.stat(path, (code, stat) -> this.steps.make(round, () -> found(path, code, stat)));
		}
		else {
			enter(Attempt.State.CONNECTING);
			create();
		}
	}

	/** Take over a node whose creation was not answered. */
	private void found(String path, Code code, @Nullable Stat stat) {
		this.steps.answered();
		if (stat == null && code != Code.NONODE) {
			interrupted(code, Attempt.State.LOOKING);
			return;
		}
		LockNode node = LockNode.of(lockPath(), path, stat, this.sentAt, engine().now());
		if (node != null && node.sessionId() == this.sessionId) {
			this.turn = new Turn(this, this.steps, node);
		}
		else if (node != null) {
			// A node of another session, which is about to end.
			engine().deletions().delete(path);
		}
		look();
	}

	void grantAndEnd(NodeGrant hold) {
		this.turn = null;
		enter(Attempt.State.ENDED);
		this.steps.nextRound();
		if (this.answerLost) {
			hold.sweep(this.prefix);
		}
		engine().remove(this);
		this.steps.afterwards(() -> grant(hold));
	}

	void refuseAndEnd() {
		end();
		this.steps.afterwards(this::refuse);
	}

	private void failAndEnd(Throwable failure) {
		// A call that ends in an error may have sent.
		this.answerLost |= failure instanceof Error;
		if (!is(Attempt.State.ENDED)) {
			end();
			this.steps.afterwards(() -> failForGood(failure));
		}
	}

	private void end() {
		if (is(Attempt.State.ENDED)) {
			return;
		}
		enter(Attempt.State.ENDED);
		this.steps.nextRound();
		engine().remove(this);
		String path = (this.turn != null) ? this.turn.node().path() : null;
		if (this.creationUnanswered) {
			leaveLater();
		}
		else {
			leave(path, this.answerLost ? this.prefix : null);
		}
		endTurn();
	}

}
