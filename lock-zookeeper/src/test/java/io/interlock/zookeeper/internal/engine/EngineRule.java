package io.interlock.zookeeper.internal.engine;

import java.util.List;
import java.util.Locale;

import io.interlock.LockState;
import io.interlock.rule.Change;
import io.interlock.zookeeper.internal.engine.Simulation.Fault;
import io.interlock.zookeeper.internal.node.NodeName;
import org.apache.zookeeper.KeeperException.Code;

import static io.interlock.rule.Change.in;
import static io.interlock.rule.Change.of;

/**
 * The rules of the protocol, each with the change of a method that switches it off. The
 * code itself knows nothing of this: what runs in production has no switch.
 */
enum EngineRule {

	LIST_TWO("with three or more in front, list again when the watched ones are gone",
			of(Listing.class, "areAll").gives(true)),

	DOWNGRADE("behind a writer of a stock read/write lock, list again when it is gone",
			in(Listing.class, "bySequence").call("mayBeReplaced").gives(false)),

	KEPT_LIST("behind a node that may leave one that keeps the lock, list again when it is gone",
			in(Listing.class, "bySequence").call("mayBeKept").gives(false)),

	KEPT_WAIT("wait for a node that keeps the lock", in(Listing.class, "at").call("keepsAt").gives(false)),

	KEPT_TIME("count what has passed since the creation of the node as time of the servers",
			in(QueuedNode.class, "resume").call("serverTimeReached").gives(0L)),

	KEPT_CLOCK("compare times of the servers' clock only",
			in(QueuedNode.class, "judge").call("serverTimeReached").goesTo(Misstep.class, "ownTime")),

	KEPT_REST("count what has passed from the request that created the node",
			in(NodeMinHold.class, "<init>").call("serverTimeAhead").goesTo(Misstep.class, "timeOfCreation")),

	KEPT_ONCE("a node that is there keeps the lock, whichever request made it",
			in(Deletions.class, "replace").read("Code.OK").goesTo("NONODE")),

	KEPT_ANSWER("while a hold is kept, only the servers say that it is lost",
			in(NodeGrant.class, "lose").read("keeping").gives(null)),

	KEPT_END("delete the node that keeps the lock when the time is over",
			in(NodeMinHold.class, "end").call("delete").goesTo(Misstep.class, "leave")),

	OWN_WATCH("a grant without a listing needs an answered and silent watch of the own node",
			in(QueuedNode.class, "gone").call("isSet").gives(true), Fault.FAILURE, Fault.DELETION),

	OWN_GONE("begin again when the own node is gone", in(QueuedNode.class, "ownGone").call("restart").isSkipped()),

	OWN_AGAIN("watch the own node again after an event that is not its deletion",
			List.of(in(NodeWatch.class, "changed").call("usedUp").isSkipped(),
					in(QueuedNode.class, "ownChanged").call("look").isSkipped()),
			Fault.CHANGE, Fault.DELETION),

	CUT_LIST("list again if the connection broke since the last listing",
			List.of(in(QueuedNode.class, "changed").skipsWrite("decisive"),
					in(QueuedNode.class, "ownChanged").skipsWrite("decisive")),
			Fault.CUT, Fault.DELETION),

	DATA_EVENT("watch again after an event that is not a deletion",
			in(QueuedNode.class, "changed").call("Set.remove").gives(false)),

	WATCH_AGAIN("watch again if the request failed", in(QueuedNode.class, "watching").call("Set.remove").gives(false)),

	GETDATA("leave no watch on a missing node",
			of(SimulatedRequest.class, "leavesWatch").goesTo(Misstep.class, "leavesWatchOnMissingNode")),

	GATE_LEASE("hand a grant out while the lease of its session is good",
			in(QueuedNode.class, "claim").call("state").gives(LockState.VALID), Fault.PAUSE, Fault.TIME, Fault.EXPIRY),

	CHECK_AGAIN("repeat a check of the own node that failed",
			in(QueuedNode.class, "resume").call("confirm").isSkipped()),

	TOKEN("the token is the transaction that made the node",
			in(NodeGrant.class, "fencingToken").call("czxid").goesTo(Misstep.class, "sequenceNumber")),

	TOKEN_STAT("read the transaction of a node whose creation was not answered",
			in(NodeAttempt.class, "found").call("LockNode.of").goesTo(Misstep.class, "madeWhenSent")),

	TRY_DELETE("delete the node of a try that was refused",
			in(AttemptSteps.class, "refuseAndEnd").call("end").goesTo(Misstep.class, "endWithNode")),

	PARENT("make a missing parent", in(NodeAttempt.class, "created").call("makeParent").goesTo("restart")),

	PARENT_AGAIN("make a parent as often as it is missing",
			in(NodeAttempt.class, "makeParent").read("MAX_PARENTS").gives(1)),

	NEW_SESSION("begin again in another session", in(NodeAttempt.class, "goOn").call("forget").isSkipped()),

	ROUND("ignore answers of an earlier round",
			of(AttemptSteps.class, "make(int, Runnable)").goesTo(Misstep.class, "makeInAnyRound")),

	AGAIN_CONNECTED("repeat what failed on a living connection, which no event will do",
			List.of(in(SimulatedEngine.class, "look").call("resume").isSkipped(),
					in(SimulatedEngine.class, "look").call("resumeAttempts").isSkipped())),

	SYNC_RECOVER("let the server catch up before the node of an unanswered creation is looked for",
			in(Requests.class, "list").call("listNewest").goesTo("list"), Fault.CUT, Fault.ABANDONMENT),

	SYNC_OWED("let the server catch up before nodes to be deleted are looked for",
			in(Deletions.class, "deleteAll").call("listNewest").goesTo("list"), Fault.CUT, Fault.ABANDONMENT),

	SYNC_ANSWERED("a listing counts if the catching up before it was answered",
			in(Requests.class, "listNewest").call("get").gives(Code.OK), Fault.CUT, Fault.FAILURE, Fault.ABANDONMENT),

	OWNER("a node of an older session does not count",
			List.of(in(NodeAttempt.class, "found").call("sessionId").gives(0L),
					in(NodeAttempt.class, "found").read("sessionId").gives(0L))),

	LOWEST("of several nodes of the attempt the first counts",
			in(NodeAttempt.class, "listed").call("List.get").goesTo(Misstep.class, "last")),

	EXTRAS_CONFIRMED("delete the other nodes after the first is known to be of this session",
			in(NodeAttempt.class, "listed").call("nodesOf").goesTo(Misstep.class, "nodesWithExtrasDeleted")),

	LATE_CREATE("delete the node of a creation that is answered after the end",
			in(NodeAttempt.class, "created").call("leave").goesTo(Misstep.class, "leaveWithNode")),

	OWE_CREATE("look for the node of a creation that is never answered",
			List.of(in(NodeAttempt.class, "created").call("isTransient").gives(false),
					in(NodeAttempt.class, "end").read("answerLost").gives(false))),

	OWE_AGAIN("repeat the search for such a node",
			in(Deletions.class, "deleteAll").call("accept").goesTo(Misstep.class, "acceptAsDone")),

	DELETE_AGAIN("repeat a deletion that failed",
			List.of(in(Deletions.class, "answered").call("insists").gives(false),
					in(Deletions.class, "answered").call("isTransient").gives(false))),

	ONCE("release a hold that comes after the outcome", in(AttemptSteps.class, "grant").call("release").isSkipped()),

	RELEASE_TOLD("a release that finds nothing after an interruption tells of no loss",
			in(Deletions.class, "answered").read("UNKNOWN").goesTo("GONE_BEFORE")),

	RELEASE_LOST("a release that finds nothing, and was not interrupted, tells of a loss",
			in(Deletions.class, "answered").read("GONE_BEFORE").goesTo("UNKNOWN")),

	HOLD_ENDS("forget a hold that is released", in(NodeGrant.class, "release").call("deregister").isSkipped()),

	USE_ENDS("end the use of a lock when the node of a hold is deleted",
			in(NodeGrant.class, "delete").call("endUse").isSkipped()),

	HOLD_WATCH("watch the node of a hold again after an event that is not its deletion",
			in(NodeWatch.class, "changed").call("usedUp").isSkipped(), Fault.CHANGE, Fault.TIME),

	PERMIT_BEHIND("a contender in another mode leaves no permit to those behind it",
			in(Listing.class, "amongPermits").call("NodeName.excludes").gives(false), true),

	STOP_DELETES("delete the node of an attempt that a stop of the instance fails",
			in(AttemptSteps.class, "fail").call("stop").isSkipped(), true),

	STOP_ANSWERS("complete the deletions that are left when the client is closed",
			in(Deletions.class, "postpone").call("isClosed").gives(false), true),

	STOP_OWES("a stop waits for the answer to a creation", of(AttemptSteps.class, "leaveLater").isSkipped(), true,
			Fault.CUT, Fault.SHUTDOWN),

	REFUSED_USE("an attempt that is refused at once has used nothing",
			of(SimulatedEngine.class, "begin").goesTo(Misstep.class, "failWithoutStart"), true),

	ERROR_OWES("owe a deletion that an error keeps from being sent",
			in(Deletions.class, "send").narrowsCatch(Throwable.class, RuntimeException.class), true),

	ERROR_STEP("an attempt fails with the error of a step",
			in(AttemptSteps.class, "makeSafely").narrowsCatch(Throwable.class, RuntimeException.class), true),

	ERROR_WATCH("watch the node of a hold again after an error",
			in(NodeWatch.class, "set").narrowsCatch(Error.class, AssertionError.class), true, Fault.ERROR, Fault.TIME),

	ERROR_CREATE("a creation that an error keeps from being sent has no answer",
			in(NodeAttempt.class, "create").call("Engine.create").goesTo(Misstep.class, "createWithoutError"), true),

	TOGETHER_ORDER("what a contender asks for stays behind its writes that wait",
			List.of(in(WriteQueue.class, "isNext").read("sender").gives(null),
					in(WriteQueue.class, "isNext").read("firstWaiting").gives(null))),

	TOGETHER_REFUSED("send each part of a refused transaction alone", of(WriteQueue.class, "isRefused").gives(false)),

	TOGETHER_NEXT("an answer sends what waits", in(WriteQueue.class, "end").call("sendWaiting").isSkipped()),

	TOGETHER_ERROR("answer what an error keeps from being sent later",
			in(WriteQueue.class, "sendSafely").call("tell").isSkipped(), true),

	QUEUE_TURN("one tenure is handed over by its last holder",
			in("io.interlock.queue.Tenure", "leave").call("isEmpty").gives(true), true),

	QUEUE_LATE("release a grant that comes when no caller of the queue is left",
			in("io.interlock.queue.LockQueue", "give").call("release").isSkipped(), true),

	NAMES("no two attempts of an instance have the same name",
			in(NodeName.Prefixes.class, "next").call("incrementAndGet").gives(1L), true);

	final String text;

	final List<Change> changes;

	/** The faults that bring the rule to light, or none for some of all. */
	final List<Fault> focus;

	/** Whether wide schedules bring it to light, and no others. */
	final boolean wide;

	EngineRule(String text, Change change, Fault... focus) {
		this(text, List.of(change), focus);
	}

	EngineRule(String text, List<Change> changes, Fault... focus) {
		this(text, changes, false, focus);
	}

	EngineRule(String text, Change change, boolean wide, Fault... focus) {
		this(text, List.of(change), wide, focus);
	}

	EngineRule(String text, List<Change> changes, boolean wide, Fault... focus) {
		this.wide = wide;
		this.text = text;
		this.changes = changes;
		this.focus = List.of(focus);
	}

	/** Return how many writes are under way before the next ones travel together. */
	int allowed() {
		return name().startsWith("TOGETHER") ? 1 : Integer.MAX_VALUE;
	}

	/** Return the name as the documentation has it. */
	String title() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
