package io.interlock.lease;

import java.util.List;
import java.util.Locale;

import io.interlock.lease.LeaseSimulation.Fault;
import io.interlock.rule.Change;

/**
 * The rules of the lease engine, each with the change that switches it off. The code
 * itself knows nothing of this: what runs in production has no switch.
 */
enum LeaseRule {

	GRANT_YOUNG("hand a grant out while its lease is young", Change.of(LeaseGrant.class, "isFresh").gives(true)),

	AGE_SENT("the age of a lease counts from before the request",
			Change.in(LeaseAttempt.class, "granted").call("sentAt").goesTo(WithoutLeaseRule.class, "now"), Fault.LATE),

	RENEWAL_SENT("the age of a renewed lease counts from before the renewal",
			Change.in(LeaseRenewal.class, "renew").call("confirm").goesTo(WithoutLeaseRule.class, "confirmNow"),
			Fault.LATE, Fault.PAUSE),

	NINE_TENTHS("a hold is lost from nine tenths of its lease", Change.of(LeaseGrant.class, "isOver").gives(false)),

	TWO_THIRDS("a hold is unconfirmed from two thirds of its lease",
			Change.in(LeaseGrant.class, "isGood").call("age").gives(0L), Fault.LATE, Fault.PAUSE),

	DOUBT("a hold is unconfirmed from the first renewal that fails", Change.of(LeaseGrant.class, "doubt").isSkipped()),

	DOUBT_PART("doubt only what was not answered",
			Change.in(LeaseRenewal.class, "renew")
				.call("LeaseConnection.renew")
				.goesTo(WithoutLeaseRule.class, "renewAll"),
			Fault.PART),

	PART_KEPT("a hold that was not answered for is not lost",
			Change.in(LeaseRenewal.class, "renew").call("Map.containsKey").gives(false), Fault.PART),

	PART_DOUBTED("a hold that was not answered for is unconfirmed",
			Change.in(LeaseRenewal.class, "renew").call("LeaseGrant.doubt").isSkipped(), Fault.PART),

	LOST_FOR_GOOD("a hold that is lost stays lost, whatever the store answers later",
			List.of(Change.in(LeaseGrant.class, "confirm").call("isOpen").gives(true),
					Change.in(LeaseGrant.class, "isLost").read("lost").goesTo(WithoutLeaseRule.class, "isOver")),
			Fault.LATE, Fault.PAUSE),

	DENIED("a hold that the store does not renew is lost",
			Change.in(LeaseRenewal.class, "renew").call("lose").isSkipped()),

	RENEW_HOLDS("renew the leases of holds",
			Change.of(LeaseRenewal.class, "openHolds").goesTo(WithoutLeaseRule.class, "noHolds")),

	RENEW_ALONE("renew alone what is passed over",
			Change.in(LeaseRenewal.class, "renew").call("LoneRenewals.renew").isSkipped(), Fault.PASSED_OVER),

	RENEW_AGAIN("renew again after a renewal that failed",
			List.of(Change.in(LeaseRenewal.class, "run").call("retry").isSkipped(),
					Change.of(LeaseRenewal.class, "planUnlessPlanned").isSkipped()),
			Fault.BEFORE),

	LOOK("look for leases that are over", Change.of(LeaseRenewal.class, "look(LeaseGrant)").isSkipped()),

	LOOK_AGAIN("begin to look again when there was no memory to plan it",
			Change.in(LeaseRenewal.class, "lookLater").call("AtomicBoolean.set").isSkipped(), Fault.NO_MEMORY,
			Fault.BEFORE),

	PLAN_AGAIN("plan a renewal that was not planned for want of memory",
			Change.of(LeaseRenewal.class, "planUnlessPlanned").isSkipped(), Fault.NO_MEMORY),

	BEGIN_AGAIN("begin a renewal again that found no thread",
			Change.in(LeaseRenewal.class, "begin").call("AtomicBoolean.set").isSkipped(), Fault.NO_MEMORY),

	RELEASE_LATE("release a grant that comes after the end of its attempt",
			Change.in(LeaseAttempts.class, "passOn").call("release").isSkipped()),

	RELEASE_OLD("release a grant that is too old to begin with",
			Change.in(LeaseAttempt.class, "startOver").call("release").isSkipped(), Fault.LATE),

	FORGET("make the store forget an attempt that was given up",
			Change.of(LeaseAttempt.class, "leaveStore").isSkipped()),

	FORGET_AFTER("forget an attempt after the question that is under way",
			Change.in(LeaseAttempt.class, "forget").read("asking").gives(false), Fault.LATE),

	RELEASE_AGAIN("repeat a release that failed", inRelease("failed").call("isWorthRepeating").gives(false),
			Fault.BEFORE),

	RELEASE_THREAD("repeat a release that found no thread",
			inRelease("run").narrowsCatch(Throwable.class, IllegalStateException.class), Fault.NO_THREAD),

	RELEASE_MEMORY("resume a release that found no memory to be repeated", inRelease("failed").skipsWrite("stuck"),
			Fault.NO_MEMORY),

	RELEASE_STOP("complete the releases that are left when the instance stops",
			Change.of(LeaseReleases.class, "close").isSkipped(), Fault.BEFORE, Fault.CLOSE),

	RELEASE_TOLD("complete a release that finds no thread to be told on",
			inRelease("end").call("tell").goesTo(WithoutLeaseRule.class, "tellIfPossible"), Fault.NO_THREAD, Fault.LATE,
			Fault.FAIL_OVER),

	RELEASE_TRIED("let attempts ask when the release in front was tried",
			inRelease("triedOnce").call("ConcurrentMap.remove").isSkipped()),

	ASK_AGAIN("ask again while others hold the lock",
			Change.in(LeaseAttempt.class, "askLater").call("LeaseBackoff.plan").isSkipped()),

	ASK_MEMORY("end an attempt that finds no memory to ask again",
			Change.in(LeaseAttempt.class, "askLater").call("fail").isSkipped(), Fault.NO_MEMORY),

	ASK_THREAD("fail for want of a thread with that error",
			Change.in(LeaseAttempt.class, "failed").call("failure").goesTo(WithoutLeaseRule.class, "noError"),
			Fault.NO_THREAD),

	KEEP_WAITING("renew the leases of contenders that wait until they end",
			Change.in(LeaseAttempt.class, "granted").call("stopWaiting").isSkipped()),

	RETRY("ask again when the store does not answer",
			Change.of(LeaseStanding.class, "isWorthAnotherQuestion").gives(false), Fault.BEFORE),

	GUARD("a task that fails ends no thread",
			Change.in(LeaseThreads.class, "guarded").narrowsCatch(Throwable.class, IllegalStateException.class),
			Fault.LISTENER, Fault.BEFORE),

	LOG("a log line that fails ends no thread",
			Change.in(LeaseThreads.class, "note").narrowsCatch(Throwable.class, IllegalStateException.class),
			Fault.LISTENER, Fault.BEFORE, Fault.NO_MEMORY),

	KEEP_AGAIN("ask again when it is not known whether the store keeps a lock",
			Change.of(LeaseKeeping.class, "askLater").isSkipped(), Fault.AFTER),

	KEEP_DOUBTED("a hold that may be kept is not lost because it is not renewed",
			Change.in(LeaseGrant.class, "lose").call("mayBeKept").gives(false), Fault.LATE),

	KEEP_BOTH("free what may keep the lock, too",
			Change.in(LeaseKeeping.class, "end").call("thenCompose").goesTo(WithoutLeaseRule.class, "unchanged")),

	KEEP_LEFT("renew a hold no longer when the store keeps its lock",
			Change.in(LeaseKeeping.class, "answered").call("leave").isSkipped()),

	KEEP_AGE("a lock that the store keeps does not age",
			Change.in(LeaseGrant.class, "isOver").call("isKept").gives(false)),

	TOKEN("the token is that of the store", Change.of(LeaseGrant.class, "fencingToken").gives(1L)),

	STOP_HOLDS("end the holds that are left when the instance stops",
			Change.of(LeaseRenewal.class, "closeHolds").isSkipped(), Fault.CLOSE),

	STOP_ATTEMPTS("end the attempts that are left when the instance stops",
			Change.of(LeaseAttempts.class, "closeAll").isSkipped(), Fault.CLOSE);

	final String text;

	final List<Change> changes;

	/** The faults that bring the rule to light, or none for some of all. */
	final List<Fault> focus;

	LeaseRule(String text, Change change, Fault... focus) {
		this(text, List.of(change), focus);
	}

	LeaseRule(String text, List<Change> changes, Fault... focus) {
		this.text = text;
		this.changes = changes;
		this.focus = List.of(focus);
	}

	private static Change.Inside inRelease(String method) {
		return Change.in(LeaseReleases.class.getName() + "$Release", method);
	}

	/** Return the name as the documentation has it. */
	String title() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
