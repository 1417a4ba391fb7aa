package io.interlock.zookeeper.internal.engine;

import java.util.List;
import java.util.Locale;

import io.interlock.rule.ChangedSources.Edit;
import io.interlock.zookeeper.internal.engine.Simulation.Fault;

/**
 * The rules of the protocol, each with the change of the source that switches it off. The
 * code itself knows nothing of this: what runs in production has no switch.
 */
enum EngineRule {

	LIST_TWO("with three or more in front, list again when the watched ones are gone",
			Edit.in("Listing", "before == inFront.size()", "true")),

	DOWNGRADE("behind a writer of a stock read/write lock, list again when it is gone",
			Edit.in("Listing", "other.mayBeReplaced(mode) || ", "")),

	KEPT_LIST("behind a node that may leave one that keeps the lock, list again when it is gone",
			Edit.in("Listing", " || other.mayBeKept()", "")),

	KEPT_WAIT("wait for a node that keeps the lock",
			Edit.in("Listing", "(node) -> node.end() > time)", "(node) -> false)")),

	KEPT_TIME("count what has passed since the creation of the node as time of the servers",
			Edit.in("QueuedNode", "this.firstEnd <= this.node.serverTimeReached(this.engine.now())", "false")),

	KEPT_CLOCK("compare times of the servers' clock only",
			Edit.in("QueuedNode", "long time = this.node.serverTimeReached(this.engine.now());",
					"long time = this.node.ctime() + this.engine.now() / 1_000_000;")),

	KEPT_REST("count what has passed from the request that created the node",
			Edit.in("NodeMinHold", "node.serverTimeAhead(engine.now())", "node.ctime()")),

	KEPT_ONCE("a node that is there keeps the lock, whichever request made it",
			Edit.in("Deletions", "(code == Code.NODEEXISTS) ? Code.OK : code",
					"(code == Code.NODEEXISTS) ? Code.NONODE : code")),

	KEPT_ANSWER("while a hold is kept, only the servers say that it is lost",
			Edit.in("NodeGrant", "if (this.keeping == null) {\n\t\t\tloseForGood();",
					"if (true) {\n\t\t\tloseForGood();")),

	KEPT_END("delete the node that keeps the lock when the time is over",
			Edit.in("NodeMinHold", "keptGone = deletions.delete(this.path);",
					"keptGone = deletions.delete(this.node.path());")),

	OWN_WATCH("a grant without a listing needs an answered and silent watch of the own node",
			Edit.in("QueuedNode", "!this.decisive || this.ownWatch == null || !this.ownWatch.isSet()",
					"!this.decisive"),
			Fault.FAILURE, Fault.DELETION),

	OWN_GONE("begin again when the own node is gone",
			Edit.in("QueuedNode", "else if (!this.over) {\n\t\t\tthis.attempt.restart();", "else if (!this.over) {")),

	OWN_AGAIN("watch the own node again after an event that is not its deletion",
			List.of(Edit.in("NodeWatch", "EventType.NodeDeleted) {\n\t\t\tusedUp();", "EventType.NodeDeleted) {"),
					Edit.in("QueuedNode", "if (isWaiting()) {\n\t\t\t\tthis.attempt.look();", "{")),
			Fault.CHANGE, Fault.DELETION),

	CUT_LIST("list again if the connection broke since the last listing",
			Edit.in("QueuedNode", "this.decisive = false;", ""), Fault.CUT, Fault.DELETION),

	DATA_EVENT("watch again after an event that is not a deletion",
			Edit.in("QueuedNode", "else if (this.watched.remove(path) && isWaiting())", "else if (false)")),

	WATCH_AGAIN("watch again if the request failed",
			Edit.in("QueuedNode", "code != Code.OK && this.watched.remove(path) && isWaiting()", "false")),

	GETDATA("leave no watch on a missing node", List.of(
			Edit.in("SimulatedServers", "request.onEvent != null && request.node != null", "request.onEvent != null"),
			Edit.in("SimulatedHandle", "request.onEvent != null && request.code == Code.OK",
					"request.onEvent != null && (request.code == Code.OK || request.code == Code.NONODE)"))),

	GATE_LEASE("hand a grant out while the lease of its session is good",
			Edit.in("QueuedNode", "if (hold.state() != LockState.VALID) {", "if (false) {"), Fault.PAUSE, Fault.TIME,
			Fault.EXPIRY),

	CHECK_AGAIN("repeat a check of the own node that failed",
			Edit.in("QueuedNode", "\t\t\tconfirm();\n\t\t}\n\t\telse if", "\t\t}\n\t\telse if")),

	TOKEN("the token is the transaction that made the node",
			Edit.in("NodeGrant", "return this.node.czxid();",
					"return Long.parseLong(this.node.path().substring(this.node.path().length() - 10));")),

	TOKEN_STAT("read the transaction of a node whose creation was not answered", Edit.in("NodeAttempt",
			"LockNode.of(lockPath(), path, stat, this.sentAt, engine().now())",
			"(stat == null) ? null : new LockNode(path, this.sentAt, stat.getCtime(), stat.getEphemeralOwner(), this.sentAt, engine().now())")),

	TRY_DELETE("delete the node of a try that was refused",
			Edit.in("AttemptSteps", "\t\tend();\n\t\tthis.effect",
					"\t\tenter(State.ENDED);\n\t\tnextRound();\n\t\tthis.engine.remove(this);\n"
							+ "\t\tthis.engine.endUse(this.lockPath);\n\t\tthis.effect")),

	PARENT("make a missing parent",
			Edit.in("NodeAttempt", "else if (code == Code.NONODE) {\n\t\t\tmakeParent();",
					"else if (code == Code.NONODE) {\n\t\t\trestart();")),

	PARENT_AGAIN("make a parent as often as it is missing",
			Edit.in("NodeAttempt", "++this.parentsMade <= MAX_PARENTS", "++this.parentsMade <= 1")),

	NEW_SESSION("begin again in another session",
			Edit.in("NodeAttempt", "\t\t\tforget();\n\t\t}\n\t\tif (is(State.CONNECTING)",
					"\t\t\tthis.sessionId = requests.sessionId();\n\t\t}\n\t\tif (is(State.CONNECTING)")),

	ROUND("ignore answers of an earlier round", Edit.in("AttemptSteps", "if (round == this.round)", "if (true)")),

	AGAIN_CONNECTED("repeat what failed on a living connection, which no event will do",
			Edit.in("SimulatedEngine",
					"\t\tthis.deletions.resume();\n\t\tresumeAttempts();\n\t}\n\n\tprivate void beat",
					"\t}\n\n\tprivate void beat")),

	SYNC_RECOVER("let the server catch up before the node of an unanswered creation is looked for",
			Edit.in("NodeAttempt", "list(lockPath(), this.node == null,", "list(lockPath(), false,"), Fault.CUT,
			Fault.ABANDONMENT),

	SYNC_OWED("let the server catch up before nodes to be deleted are looked for",
			Edit.in("Deletions", "requests.listNewest(", "requests.list("), Fault.CUT, Fault.ABANDONMENT),

	SYNC_ANSWERED("a listing counts if the catching up before it was answered",
			Edit.in("Requests", "(synced.get() == Code.OK) ? code : synced.get()", "code"), Fault.CUT, Fault.FAILURE,
			Fault.ABANDONMENT),

	OWNER("a node of an older session does not count",
			Edit.in("NodeAttempt", "made != null && made.sessionId() == this.sessionId", "made != null")),

	LOWEST("of several nodes of the attempt the first counts",
			Edit.in("NodeAttempt", "own.get(0)", "own.get(own.size() - 1)")),

	EXTRAS_CONFIRMED("delete the other nodes after the first is known to be of this session", Edit.in("NodeAttempt",
			"\t\tif (current != null && (own.isEmpty()",
			"\t\town.stream().skip(1).forEach((other) -> engine().deletions().delete(lockPath() + \"/\" + other));\n"
					+ "\t\tif (current != null && (own.isEmpty()")),

	LATE_CREATE("delete the node of a creation that is answered after the end",
			Edit.in("NodeAttempt", "(made != null) ? made.path() : null", "null")),

	OWE_CREATE("look for the node of a creation that is never answered",
			List.of(Edit.in("NodeAttempt", "ProviderFailures.isTransient(code) ? this.prefix : null", "null"),
					Edit.in("NodeAttempt", "this.answerLost ? this.prefix : null", "null"))),

	OWE_AGAIN("repeat the search for such a node",
			Edit.in("Deletions", "thenRun(() -> answer.accept(code))", "thenRun(() -> answer.accept(Code.OK))")),

	DELETE_AGAIN("repeat a deletion that failed",
			Edit.in("Deletions", "if (deletion.insists() || ProviderFailures.isTransient(code)) {", "if (false) {")),

	ONCE("release a hold that comes after the outcome", Edit.in("AttemptSteps", "\t\t\thold.release();\n", "")),

	RELEASE_TOLD("a release that finds nothing after an interruption tells of no loss",
			Edit.in("Deletions", "undisturbed ? Result.GONE_BEFORE : Result.UNKNOWN", "Result.GONE_BEFORE")),

	RELEASE_LOST("a release that finds nothing, and was not interrupted, tells of a loss",
			Edit.in("Deletions", "undisturbed ? Result.GONE_BEFORE : Result.UNKNOWN", "Result.UNKNOWN")),

	HOLD_ENDS("forget a hold that is released",
			Edit.in("NodeGrant", "this.engine.deregister(this);\n\t\tCompletableFuture", "CompletableFuture")),

	USE_ENDS("end the use of a lock when the node of a hold is deleted",
			Edit.in("NodeGrant",
					"\t\tgone.whenComplete((result, failure) -> this.engine.endUse(this.node.lockPath()));\n", "")),

	HOLD_WATCH("watch the node of a hold again after an event that is not its deletion",
			Edit.in("NodeWatch", "EventType.NodeDeleted) {\n\t\t\tusedUp();", "EventType.NodeDeleted) {"), Fault.CHANGE,
			Fault.TIME),

	PERMIT_BEHIND("a contender in another mode leaves no permit to those behind it",
			Edit.in("Listing", "other.excludes(LockMode.PERMIT) ? 0 : free - 1", "free - 1"), true),

	STOP_DELETES("delete the node of an attempt that a stop of the instance fails",
			Edit.in("AttemptSteps", "stop the attempt.\n\t\tstop();\n", "stop the attempt.\n"), true),

	STOP_ANSWERS("complete the deletions that are left when the client is closed",
			Edit.in("Deletions", "\t\t\tdeletion.done().complete(Result.UNKNOWN);\n\t\t\treturn;\n", ""), true),

	STOP_OWES("a stop waits for the answer to a creation",
			Edit.in("AttemptSteps", "this.owed = this.engine.deletions().owe();", ""), true, Fault.CUT, Fault.SHUTDOWN),

	REFUSED_USE("an attempt that is refused at once has used nothing", Edit.in("SimulatedEngine",
			"attempt.outcome().completeExceptionally(ProviderFailures.closed(attempt.request().id()));\n\t\t}\n\t\telse",
			"attempt.fail(ProviderFailures.closed(attempt.request().id()));\n\t\t}\n\t\telse"), true),

	ERROR_OWES("owe a deletion that an error keeps from being sent",
			Edit.in("Deletions", "catch (Throwable ex)", "catch (RuntimeException ex)"), true),

	ERROR_STEP("an attempt fails with the error of a step",
			Edit.in("AttemptSteps", "catch (Throwable ex)", "catch (RuntimeException ex)"), true),

	ERROR_WATCH("watch the node of a hold again after an error",
			Edit.in("NodeWatch", "catch (Error ex)", "catch (IllegalStateException ex)"), true, Fault.ERROR,
			Fault.TIME),

	ERROR_CREATE("a creation that an error keeps from being sent has no answer",
			Edit.in("NodeAttempt", "enter(State.CREATING);\n\t\t// What",
					"enter(State.CREATING);\n\t\tthis.creationUnanswered = true;\n\t\t// What"),
			true),

	TOGETHER_ORDER("what a contender asks for stays behind its writes that wait",
			Edit.in("WriteQueue", "this.sending || full || !this.waiting.isEmpty()", "full")),

	TOGETHER_REFUSED("send each part of a refused transaction alone",
			Edit.in("WriteQueue", "if (code != Code.OK && results != null) {", "if (false) {")),

	TOGETHER_NEXT("an answer sends what waits", Edit.in("WriteQueue", "if (sends) {", "if (false) {")),

	TOGETHER_ERROR("answer what an error keeps from being sent later",
			Edit.in("WriteQueue",
					"catch (Throwable ex) {\n\t\t\trequest.answer().created(Code.OPERATIONTIMEOUT, null, null);",
					"catch (Throwable ex) {"),
			true),

	QUEUE_TURN("one tenure is handed over by its last holder",
			Edit.in("io.interlock.queue.LockQueue", "|| !tenure.leave(holder)", "|| (!tenure.leave(holder) && false)"),
			true),

	QUEUE_LATE("release a grant that comes when no caller of the queue is left",
			Edit.in("io.interlock.queue.LockQueue", "else {\n\t\t\tgrant.release();", "else {"), true),

	NAMES("no two attempts of an instance have the same name", Edit.in("io.interlock.zookeeper.internal.node.NodeName",
			"this.attempts.incrementAndGet()", "this.attempts.incrementAndGet() % 4"), true);

	final String text;

	final List<Edit> edits;

	/** The faults that bring the rule to light, or none for some of all. */
	final List<Fault> focus;

	/** Whether wide schedules bring it to light, and no others. */
	final boolean wide;

	EngineRule(String text, Edit edit, Fault... focus) {
		this(text, List.of(edit), focus);
	}

	EngineRule(String text, List<Edit> edits, Fault... focus) {
		this(text, edits, false, focus);
	}

	EngineRule(String text, Edit edit, boolean wide, Fault... focus) {
		this(text, List.of(edit), wide, focus);
	}

	EngineRule(String text, List<Edit> edits, boolean wide, Fault... focus) {
		this.wide = wide;
		this.text = text;
		this.edits = edits;
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
