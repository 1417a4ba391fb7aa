package io.interlock.lease;

import java.util.List;
import java.util.Locale;

import io.interlock.lease.LeaseSimulation.Fault;
import io.interlock.rule.ChangedSources.Edit;

/**
 * The rules of the lease engine, each with the change of the source that switches it off.
 * The code itself knows nothing of this: what runs in production has no switch.
 */
enum LeaseRule {

	GRANT_YOUNG("hand a grant out while its lease is young",
			Edit.in("LeaseAttempt", "if (!grant.isFresh()) {", "if (false) {")),

	AGE_SENT("the age of a lease counts from before the request",
			Edit.in("LeaseAttempt", "new LeaseGrant(this.contender, token, sentAt,",
					"new LeaseGrant(this.contender, token, this.provider.time().nanoTime(),"),
			Fault.LATE),

	RENEWAL_SENT("the age of a renewed lease counts from before the renewal",
			Edit.in("LeaseRenewal", "grant.confirm(sentAt);", "grant.confirm(this.time.nanoTime());"), Fault.LATE,
			Fault.PAUSE),

	NINE_TENTHS("a hold is lost from nine tenths of its lease",
			Edit.in("LeaseGrant", "age() >= this.leaseNanos / 10 * 9", "age() >= this.leaseNanos * 2")),

	TWO_THIRDS("a hold is unconfirmed from two thirds of its lease",
			Edit.in("LeaseGrant", "!this.doubted && age() < this.leaseNanos / 3 * 2", "!this.doubted"), Fault.LATE,
			Fault.PAUSE),

	DOUBT("a hold is unconfirmed from the first renewal that fails",
			Edit.in("LeaseRenewal", "open.forEach(LeaseGrant::doubt);", "")),

	LOST_FOR_GOOD("a hold that is lost stays lost, whatever the store answers later",
			Edit.in("LeaseGrant", "\t\tif (isOpen()) {\n\t\t\tthis.confirmedAt",
					"\t\tif (!this.released.get()) {\n\t\t\tthis.lost = false;\n\t\t\tthis.confirmedAt"),
			Fault.LATE, Fault.PAUSE),

	DENIED("a hold that the store does not renew is lost",
			Edit.in("LeaseRenewal", "\t\t\telse {\n\t\t\t\tgrant.lose();",
					"\t\t\telse {\n\t\t\t\tgrant.confirm(sentAt);")),

	RENEW_HOLDS("renew the leases of holds",
			Edit.in("LeaseRenewal", "this.holds.stream().filter(LeaseGrant::isOpen).toList()",
					"List.<LeaseGrant>of()")),

	RENEW_AGAIN("renew again after a renewal that failed", Edit.in("LeaseRenewal",
			"\t\tcatch (Throwable ex) {\n\t\t\tplanAfter(failed(ex));\n\t\t}\n\t}\n\n\tprivate void planAfter",
			"\t\tcatch (Throwable ex) {\n\t\t\tsynchronized (this) {\n\t\t\t\tthis.begun.set(true);\n\t\t\t}\n\t\t}\n\t}\n\n\tprivate void planAfter"),
			Fault.BEFORE),

	LOOK("look for leases that are over",
			Edit.in("LeaseRenewal", "for (LeaseGrant grant : this.holds) {\n\t\t\tif (grant.isLost())",
					"for (LeaseGrant grant : Set.<LeaseGrant>of()) {\n\t\t\tif (grant.isLost())")),

	LOOK_AGAIN("begin to look again when there was no memory to plan it", Edit.in("LeaseRenewal",
			"\t\t\t// The instance has stopped, or the watch begins again.\n\t\t\tthis.looking.set(false);", ""),
			Fault.NO_MEMORY, Fault.BEFORE),

	PLAN_AGAIN("plan a renewal that was not planned for want of memory",
			Edit.in("LeaseRenewal", "if (this.plan == null && !this.begun.get()) {", "if (false) {"), Fault.NO_MEMORY),

	BEGIN_AGAIN("begin a renewal again that found no thread",
			Edit.in("LeaseRenewal", "this.begun.set(false);\n\t\t\t\tplanAfter(failed(ex));", "planAfter(failed(ex));"),
			Fault.NO_MEMORY),

	RELEASE_LATE("release a grant that comes after the end of its attempt",
			Edit.in("LeaseAttempt", "\t\t\tgrant.release();\n", "")),

	RELEASE_OLD("release a grant that is too old to begin with",
			Edit.in("LeaseAttempt", "if (!grant.isFresh()) {\n\t\t\tthis.provider.releases().release(this.contender);",
					"if (!grant.isFresh()) {"),
			Fault.LATE),

	FORGET("make the store forget an attempt that was given up",
			Edit.in("LeaseAttempt", "if (forgets) {", "if (false) {")),

	FORGET_AFTER("forget an attempt after the question that is under way",
			Edit.in("LeaseAttempt", "if (!isDecided() || this.asking) {", "if (!isDecided()) {"), Fault.LATE),

	RELEASE_AGAIN("repeat a release that failed",
			Edit.in("LeaseReleases", "LeaseReleases.this.threads.later(this::run, pause);\n\t\t\t\t\treturn;",
					"end(LockState.RELEASED);\n\t\t\t\t\treturn;"),
			Fault.BEFORE),

	RELEASE_THREAD("repeat a release that found no thread",
			Edit.in("LeaseReleases", "catch (Throwable ex) {\n\t\t\t\tfailed();\n\t\t\t}\n\t\t}\n\n\t\tvoid resume",
					"catch (IllegalStateException ex) {\n\t\t\t\tfailed();\n\t\t\t}\n\t\t}\n\n\t\tvoid resume"),
			Fault.NO_THREAD),

	RELEASE_MEMORY("resume a release that found no memory to be repeated",
			Edit.in("LeaseReleases", "this.stuck = true;", ""), Fault.NO_MEMORY),

	RELEASE_STOP("complete the releases that are left when the instance stops",
			Edit.in("LeaseLockProvider", "\t\tthis.releases.close();\n", ""), Fault.BEFORE, Fault.CLOSE),

	RELEASE_TOLD("complete a release that finds no thread to be told on", Edit.in("LeaseReleases",
			"state != LockState.LOST || !LeaseReleases.this.threads.tell(() -> this.state.complete(state))",
			"state != LockState.LOST || (!LeaseReleases.this.threads.tell(() -> this.state.complete(state)) && false)"),
			Fault.NO_THREAD, Fault.LATE, Fault.FAIL_OVER),

	RELEASE_TRIED("let attempts ask when the release in front was tried",
			Edit.in("LeaseReleases", "LeaseReleases.this.newest.remove(this.contender.lock(), this.tried);\n", "")),

	ASK_AGAIN("ask again while others hold the lock",
			Edit.in("LeaseAttempt", "this.nextQuestion = this.provider.threads().later(this::ask, nanos - jitter);",
					"")),

	ASK_MEMORY("end an attempt that finds no memory to ask again",
			Edit.in("LeaseAttempt", "fail((failure instanceof Error) ? failure : closed());", ""), Fault.NO_MEMORY),

	ASK_THREAD("fail for want of a thread with that error",
			Edit.in("LeaseStoreException", "if (cause instanceof Error)", "if (cause == null)"), Fault.NO_THREAD),

	KEEP_WAITING("renew the leases of contenders that wait until they end",
			Edit.in("LeaseAttempt",
					"\t\tthis.provider.renewal().stopWaiting(this.contender);\n\t\tif (!grant.isFresh())",
					"\t\tif (!grant.isFresh())")),

	RETRY("ask again when the store does not answer",
			Edit.in("LeaseAttempt", "!LeaseStoreException.mayPass(ex) || this.provider", "true || this.provider"),
			Fault.BEFORE),

	GUARD("a task that fails ends no thread",
			Edit.in("LeaseThreads", "\t\t\tcatch (Throwable ex) {\n\t\t\t\tnote(",
					"\t\t\tcatch (IllegalStateException ex) {\n\t\t\t\tnote("),
			Fault.LISTENER, Fault.BEFORE),

	LOG("a log line that fails ends no thread",
			Edit.in("LeaseThreads", "\t\tcatch (Throwable ex) {\n\t\t\t// A thread is worth",
					"\t\tcatch (IllegalStateException ex) {\n\t\t\t// A thread is worth"),
			Fault.LISTENER, Fault.BEFORE, Fault.NO_MEMORY),

	TOKEN("the token is that of the store",
			Edit.in("LeaseGrant", "return this.token;", "return this.token / 1_000_000;")),

	STOP_HOLDS("end the holds that are left when the instance stops",
			Edit.in("LeaseLockProvider", "List.copyOf(this.renewal.holds()).forEach(LeaseGrant::close);", ""),
			Fault.CLOSE),

	STOP_ATTEMPTS("end the attempts that are left when the instance stops",
			Edit.in("LeaseLockProvider", "attempt.fail(attempt.closed())", "attempt.lock()"), Fault.CLOSE);

	final String text;

	final List<Edit> edits;

	/** The faults that bring the rule to light, or none for some of all. */
	final List<Fault> focus;

	LeaseRule(String text, Edit edit, Fault... focus) {
		this.text = text;
		this.edits = List.of(edit);
		this.focus = List.of(focus);
	}

	/** Return the name as the documentation has it. */
	String title() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
