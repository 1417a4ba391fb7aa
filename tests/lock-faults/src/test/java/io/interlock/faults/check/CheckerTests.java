package io.interlock.faults.check;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.interlock.faults.check.StillLock.Belief;
import io.interlock.faults.check.StillLock.Contender;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

/**
 * Tests for {@link ExclusionChecker} and {@link TokenOrderChecker} on histories made up
 * for them: a checker that never complains proves nothing.
 */
class CheckerTests {

	private final History history = new History();

	@Test
	void holdersAfterEachOtherAreFine() {
		hold("a", false, 1, 0, 10, 20);
		hold("b", false, 2, 5, 21, 30);
		assertThat(new ExclusionChecker().check(this.history)).isEmpty();
		assertThat(new TokenOrderChecker().check(this.history)).isEmpty();
	}

	@Test
	void exclusiveHoldersTogetherAreNoticed() {
		hold("a", false, 1, 0, 10, 22);
		hold("b", false, 2, 5, 21, 30);
		assertThat(new ExclusionChecker().check(this.history)).hasSize(1);
	}

	@Test
	void longHolderBehindAShortOneIsNoticed() {
		hold("a", true, 1, 0, 10, 50);
		hold("b", true, 2, 5, 11, 12);
		hold("c", false, 3, 5, 40, 45);
		assertThat(new ExclusionChecker().check(this.history)).hasSize(1);
	}

	@Test
	void lossWithoutAFaultOfItsOwnIsNoticed() {
		LossChecker checker = new LossChecker((fault, worker, key) -> fault.target().equals(worker));
		this.history.lease("a", Duration.ofSeconds(3));
		ObservedHold lost = hold("a#0.1", false, 1, 0, seconds(20), seconds(30));
		lost.ended(seconds(40), seconds(33));
		assertThat(checker.check(this.history)).hasSize(1);
		this.history.add(new ObservedFault("OF_ANOTHER", "b", seconds(28), seconds(31)));
		this.history.add(new ObservedFault("TOO_EARLY", "a", seconds(20), seconds(24)));
		this.history.add(new ObservedFault("TOO_LATE", "a", seconds(34), seconds(39)));
		assertThat(checker.check(this.history)).hasSize(1);
		this.history.add(new ObservedFault("ITS_OWN", "a", seconds(20), seconds(26)));
		assertThat(checker.check(this.history)).isEmpty();
	}

	@Test
	void faultThatBeginsWhileALockIsReleasedExplainsItsLoss() {
		LossChecker checker = new LossChecker((fault, worker, key) -> fault.target().equals(worker));
		this.history.lease("a", Duration.ofSeconds(3));
		hold("a#0.1", false, 1, 0, seconds(20), seconds(30)).ended(seconds(30), seconds(32));
		assertThat(checker.check(this.history)).hasSize(1);
		this.history.add(new ObservedFault("BEHIND_THE_LOSS", "a", seconds(32) + 1, seconds(35)));
		assertThat(checker.check(this.history)).hasSize(1);
		this.history.add(new ObservedFault("WHILE_RELEASED", "a", seconds(31), seconds(35)));
		assertThat(checker.check(this.history)).isEmpty();
	}

	@Test
	void callerThatIsOvertakenInItsInstanceAgainAndAgainIsNoticed() {
		ArrivalChecker checker = new ArrivalChecker(Set.of("a"));
		hold("a#0.1", false, 9, 0, seconds(30), seconds(31));
		for (int i = 2; i < 7; i++) {
			hold("a#0.1", false, i, seconds(i), seconds(i) + 1, seconds(i) + 2);
			hold("b#0.1", false, 10 * i, seconds(i), seconds(i) + 3, seconds(i) + 4);
			hold("a#1.1", false, 100 * i, seconds(i), seconds(i) + 5, seconds(i) + 6);
		}
		hold("a#0.1", false, 7, 1, seconds(29), seconds(30));
		hold("a#0.1", false, 10, seconds(8), seconds(31), seconds(32));
		assertThat(checker.check(this.history)).as("passed by a few").isEmpty();
		hold("a#0.1", false, 9, seconds(28), seconds(29), seconds(30));
		assertThat(checker.check(this.history)).hasSize(1);
		assertThat(new ArrivalChecker(Set.of("b")).check(this.history)).isEmpty();
	}

	@Test
	void readersOfOneGrantWakeUpInAnyOrder() {
		hold("a#0.1", true, 9, 0, seconds(30), seconds(31));
		for (int i = 2; i < 12; i++) {
			hold("a#0.1", true, 9, seconds(i), seconds(30) - i, seconds(31));
		}
		assertThat(new ArrivalChecker(Set.of("a")).check(this.history)).isEmpty();
	}

	@Test
	void readersShare() {
		hold("a", true, 1, 0, 10, 22);
		hold("b", true, 2, 5, 11, 30);
		assertThat(new ExclusionChecker().check(this.history)).isEmpty();
	}

	@Test
	void holderThatWasNeverToldYesIsNotJudged() {
		hold("a", false, 1, 0, 10, 20);
		this.history.add(new ObservedHold("lock", false, "b", 2, 5, 15));
		assertThat(new ExclusionChecker().check(this.history)).isEmpty();
	}

	@Test
	void holdThatAnAdministratorEndedIsJudgedUntilThen() {
		hold("a", false, 1, 0, 10, 22);
		hold("b", false, 2, 5, 21, 30);
		this.history.deleted(1, 20);
		assertThat(new ExclusionChecker().check(this.history)).isEmpty();
	}

	@Test
	void holdThatAnAdministratorEndedBeforeItWasToldIsNotJudged() {
		hold("b", false, 2, 5, 21, 40);
		hold("a", false, 1, 0, 30, 50);
		assertThat(new ExclusionChecker().check(this.history)).hasSize(1);
		assertThat(new TokenOrderChecker().check(this.history)).hasSize(1);
		this.history.deleted(1, 20);
		assertThat(new ExclusionChecker().check(this.history)).isEmpty();
		assertThat(new TokenOrderChecker().check(this.history)).isEmpty();
	}

	@Test
	void holdOfAClosedSessionIsNotJudgedBeforeItsClientHears() {
		hold("b#0.1", false, 2, 0, seconds(1), seconds(4));
		hold("a#0.1", false, 1, 0, seconds(3), seconds(5));
		assertThat(new ExclusionChecker().check(this.history)).hasSize(1);
		this.history.expired("a", 1);
		assertThat(new ExclusionChecker().check(this.history)).isEmpty();
		assertThat(new TokenOrderChecker().check(this.history)).isEmpty();
		this.history.connection("a#0.1", "LOST", seconds(2));
		assertThat(new ExclusionChecker().check(this.history)).hasSize(1);
	}

	@Test
	void overlapOfALapsedLeaseIsJudgedWhenItsHolderIsToldLate() {
		this.history.lease("a", Duration.ofNanos(100));
		hold("a#0.1", false, 1, 0, 10, 115);
		hold("b#0.1", false, 2, 5, 30, 40);
		assertThat(new ExclusionChecker().check(this.history)).hasSize(1);
		this.history.lapsed("CLOCK", 20, 25, 2);
		assertThat(new ExclusionChecker().check(this.history)).isEmpty();
		assertThat(new TokenOrderChecker().check(this.history)).isEmpty();
		assertThat(new LapseChecker().check(this.history)).isEmpty();
		assertThat(LapseChecker.fenced(this.history)).containsExactly(entry("CLOCK", 1L));
		assertThat(LapseChecker.heard(this.history)).isZero();
		hold("a#0.1", false, 1, 26, 28, 29);
		assertThat(new ExclusionChecker().check(this.history)).as("handed over").isEmpty();
		hold("a#0.1", false, 1, 26, 28, 116);
		assertThat(new ExclusionChecker().check(this.history)).hasSize(1);
	}

	@Test
	void overlapBeforeOrWithoutALapseIsNoticed() {
		this.history.lease("a", Duration.ofNanos(100));
		hold("a#0.1", false, 1, 0, 10, 60);
		hold("b#0.1", false, 2, 5, 18, 19);
		this.history.lapsed("CLOCK", 20, 25, 3);
		assertThat(new ExclusionChecker().check(this.history)).hasSize(1);
		hold("a#0.2", false, 3, 70, 71, 90);
		hold("b#0.2", false, 4, 72, 80, 95);
		assertThat(new ExclusionChecker().check(this.history)).hasSize(2);
	}

	@Test
	void overlapOfALapsedLeaseWithoutAGreaterTokenIsNoticed() {
		this.history.lease("a", Duration.ofNanos(100));
		this.history.lapsed("FAIL-OVER", 20, 25, 6);
		hold("a#0.1", false, 5, 0, 10, 60);
		hold("b#0.1", false, 4, 26, 30, 2000);
		assertThat(new LapseChecker().check(this.history)).extracting(Violation::checker)
			.containsExactly("overlap not fenced");
		assertThat(new TokenOrderChecker().check(this.history)).isNotEmpty();
	}

	@Test
	void fallingTokenIsNoticed() {
		hold("a", false, 2, 0, 10, 20);
		hold("b", false, 1, 5, 21, 30);
		assertThat(new TokenOrderChecker().check(this.history)).hasSize(1);
	}

	@Test
	void lowerTokenOfWhoAskedLaterIsNoticed() {
		this.history.add(new ObservedHold("lock", false, "a", 2, 0, 10));
		this.history.add(new ObservedHold("lock", false, "b", 1, 11, 30));
		assertThat(new TokenOrderChecker().check(this.history)).hasSize(1);
	}

	@Test
	void lowerTokenOfAnEndedHoldThatIsHandedOnIsNotJudged() {
		this.history.add(new ObservedHold("lock", false, "a", 2, 0, 10));
		this.history.add(new ObservedHold("lock", false, "b", 1, 11, 30));
		this.history.deleted(1, 5);
		assertThat(new TokenOrderChecker().check(this.history)).isEmpty();
	}

	@Test
	void silenceWhileAllWorkersAreStoppedIsNotCounted() {
		serve(0, 4);
		this.history.workersStopped(true);
		serve(4, 25);
		this.history.workersStopped(false);
		serve(25, 30);
		hold("a", false, 1, 0, seconds(2), seconds(3));
		assertThat(silence("lock")).isEmpty();
	}

	@Test
	void tokenOfTwoInstancesIsNoticed() {
		hold("a", false, 1, 0, 10, 20);
		hold("b", false, 1, 5, 21, 30);
		assertThat(new TokenOrderChecker().check(this.history)).extracting(Violation::checker)
			.containsExactly("token shared");
	}

	@Test
	void silenceWhileTheServersServeIsNoticed() {
		serve(0, 30);
		hold("a", false, 1, 0, seconds(2), seconds(3));
		assertThat(silence("lock")).extracting(Violation::checker).containsExactly("silence");
	}

	@Test
	void nodeThatAPlainClientHasLeftIsToldAndIsNoExcuse() {
		serve(0, 30);
		this.history.add(stillLock(seconds(20), "session 0x2"));
		assertThat(silence("lock")).singleElement()
			.satisfies((violation) -> assertThat(violation.text()).contains(
					"in front is node-1 (czxid 1) session 0x2 of peer\n  behind it node-2 (czxid 2) session 0x1 of worker1")
				.contains("MIXED waits for lock"));
	}

	@Test
	void nodeOfASessionThatNoProcessHasIsToldAndIsNoExcuse() {
		serve(0, 30);
		this.history.add(stillLock(seconds(20), "session 0x3"));
		assertThat(silence("lock")).singleElement()
			.satisfies((violation) -> assertThat(violation.text())
				.contains("node-1 (czxid 1) session 0x3 of no process that answers"));
	}

	@Test
	void lockIsLookedAtOnceForEachTimeThatItStandsStill() {
		serve(0, 30);
		SilenceChecker checker = SilenceChecker.ofGrants(0, seconds(30), Duration.ofSeconds(10), Set.of("lock"));
		assertThat(checker.unseen(this.history)).containsExactly("lock");
		this.history.add(stillLock(seconds(12), "session 0x2"));
		assertThat(checker.unseen(this.history)).isEmpty();
		hold("a", false, 1, 0, seconds(15), seconds(16));
		assertThat(checker.unseen(this.history)).containsExactly("lock");
		hold("a", false, 2, 0, seconds(25), seconds(26));
		assertThat(checker.unseen(this.history)).isEmpty();
	}

	@Test
	void lockThatIsNeverGrantedIsNoticed() {
		serve(0, 30);
		assertThat(silence("other")).extracting(Violation::checker).containsExactly("silence");
	}

	@Test
	void silenceOfTheServersIsNotCounted() {
		serve(0, 4);
		serve(25, 30);
		hold("a", false, 1, 0, seconds(2), seconds(3));
		assertThat(silence("lock")).isEmpty();
	}

	@Test
	void silenceInWhichTheQueueMovesIsNoStandstill() {
		serve(0, 30);
		hold("a", false, 1, 0, seconds(2), seconds(3));
		for (int at = 3; at < 30; at += 9) {
			this.history.first("lock", at, seconds(at));
		}
		assertThat(standstill("lock")).isEmpty();
		assertThat(silence("lock")).extracting(Violation::checker).containsExactly("silence");
	}

	@Test
	void firstNodeThatStaysIsNoticed() {
		serve(0, 30);
		hold("a", false, 1, 0, seconds(2), seconds(3));
		for (int at = 3; at < 30; at += 9) {
			this.history.first("lock", 3, seconds(at));
		}
		assertThat(standstill("lock")).extracting(Violation::checker).containsExactly("standstill");
	}

	@Test
	void fewAnswersMayBeLate() {
		answers(1000, 0);
		answers(5, 300);
		assertThat(new DeadlineChecker().check(this.history)).isEmpty();
		answers(1, 300);
		assertThat(new DeadlineChecker().check(this.history)).hasSize(1);
	}

	@Test
	void answerThatIsLateByMoreThanASecondIsNoticed() {
		answers(1000, 0);
		answers(1, 1001);
		assertThat(new DeadlineChecker().check(this.history)).hasSize(1);
	}

	private void answers(int number, int lateMillis) {
		long late = TimeUnit.MILLISECONDS.toNanos(lateMillis);
		for (int i = 0; i < number; i++) {
			this.history.add(new ObservedAttempt("worker", 0, Outcome.CONTENDED, 0, late, 0));
		}
	}

	private List<Violation> silence(String key) {
		return SilenceChecker.ofGrants(0, seconds(30), Duration.ofSeconds(10), Set.of(key)).check(this.history);
	}

	private static StillLock stillLock(long at, String ownerInFront) {
		return new StillLock("lock", at,
				List.of(new Contender("node-1", ownerInFront, "czxid 1"),
						new Contender("node-2", "session 0x1", "czxid 2")),
				List.of(new Belief("worker1", List.of("session 0x1")),
						new Belief("peer", List.of("session 0x2", "MIXED waits for lock for 9.0 s"))));
	}

	private List<Violation> standstill(String key) {
		return SilenceChecker.ofQueues(0, seconds(30), Duration.ofSeconds(10), Set.of(key)).check(this.history);
	}

	private void serve(int from, int to) {
		for (long at = seconds(from); at < seconds(to); at += seconds(1) / 2) {
			this.history.served(at);
		}
	}

	private static long seconds(int seconds) {
		return TimeUnit.SECONDS.toNanos(seconds);
	}

	private ObservedHold hold(String instance, boolean shared, long token, long askedAt, long grantedAt,
			long lastValid) {
		ObservedHold hold = new ObservedHold("lock", shared, instance, token, askedAt, grantedAt);
		hold.valid(lastValid);
		hold.ended(lastValid + 1, Long.MAX_VALUE);
		this.history.add(hold);
		return hold;
	}

}
