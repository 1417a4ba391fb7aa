package io.interlock.zookeeper.internal.session;

import java.time.Duration;

import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SessionLease}: a timeout of 24 seconds, so that two thirds are 16, and
 * two seconds until an answer has settled. Times are given in seconds.
 */
class SessionLeaseTests {

	private static final long START = Long.MAX_VALUE - seconds(10);

	private final SessionLease lease = new SessionLease(1, Duration.ofSeconds(24), START);

	@Test
	@Proves(Promise.VALIDITY)
	void freshSessionIsGoodForTwoThirds() {
		assertThat(this.lease.isGood(at(15.9))).isTrue();
		assertThat(this.lease.isGood(at(16.1))).isFalse();
	}

	@Test
	void answerAloneDoesNotProlong() {
		this.lease.confirmed(at(10), at(10.1));
		assertThat(this.lease.isGood(at(16.1))).isFalse();
	}

	@Test
	@Proves(Promise.VALIDITY)
	void answerProlongsOnceALaterRequestIsAnswered() {
		this.lease.confirmed(at(10), at(10.1));
		this.lease.confirmed(at(12.2), at(12.3));
		assertThat(this.lease.isGood(at(25.9))).isTrue();
		assertThat(this.lease.isGood(at(26.1))).isFalse();
	}

	@Test
	void requestThatFollowsAtOnceProvesNothing() {
		this.lease.confirmed(at(10), at(10.1));
		this.lease.confirmed(at(12), at(12.3));
		assertThat(this.lease.isGood(at(16.1))).isFalse();
	}

	@Test
	void requestSentBeforeTheAnswerSettledProvesNothing() {
		this.lease.confirmed(at(10), at(14));
		this.lease.confirmed(at(15), at(20));
		assertThat(this.lease.isGood(at(20.1))).isFalse();
	}

	@Test
	void leaderWithoutQuorumDoesNotProlong() {
		this.lease.answered(at(10), at(10.1));
		this.lease.answered(at(13), at(13.1));
		assertThat(this.lease.isGood(at(16.1))).isFalse();
	}

	@Test
	void connectingAgainSettlesWhatWasAnswered() {
		this.lease.confirmed(at(10), at(10.1));
		this.lease.resumed(at(12));
		assertThat(this.lease.isGood(at(25.9))).isTrue();
		assertThat(this.lease.isGood(at(26.1))).isFalse();
	}

	@Test
	void sessionMetConnectedIsTrustedForAShortTime() {
		SessionLease connected = SessionLease.ofConnected(1, Duration.ofSeconds(24), at(0), null);
		assertThat(connected.isGood(at(5.9))).isTrue();
		assertThat(connected.isGood(at(6.1))).isFalse();
	}

	@Test
	void sessionOfAClientThatHasJustStartedIsTrustedFromThatTime() {
		SessionLease connected = SessionLease.ofConnected(1, Duration.ofSeconds(24), at(1), at(0));
		assertThat(connected.isGood(at(15.9))).isTrue();
		assertThat(connected.isGood(at(16.1))).isFalse();
	}

	@Test
	void sessionOfAClientThatStartedLongAgoIsTrustedForAShortTime() {
		SessionLease connected = SessionLease.ofConnected(1, Duration.ofSeconds(24), at(100), at(0));
		assertThat(connected.isGood(at(105.9))).isTrue();
		assertThat(connected.isGood(at(106.1))).isFalse();
	}

	@Test
	void requestsThatAreAnsweredTogetherCountAsTheNewest() {
		this.lease.confirmed(at(4), at(13));
		this.lease.confirmed(at(12), at(13.1));
		this.lease.confirmed(at(15.2), at(15.3));
		assertThat(this.lease.isGood(at(27.9))).isTrue();
		assertThat(this.lease.isGood(at(28.1))).isFalse();
	}

	/**
	 * A thread that verifies a hold reads the clock and stands still; the answer to a
	 * later request overtakes it.
	 */
	@Test
	@Proves(Promise.VALIDITY)
	void answerThatIsNotedLateMakesNoOtherAnswerOlder() {
		this.lease.confirmed(at(12.9), at(13));
		this.lease.confirmed(at(9.9), at(10));
		this.lease.confirmed(at(13.2), at(13.3));
		assertThat(this.lease.isGood(at(15.9))).isTrue();
		assertThat(this.lease.isGood(at(16.1))).isFalse();
	}

	@Test
	void otherSessionCountsFromTheNewestAnswerOfTheLastOne() {
		this.lease.answered(at(10), at(10.1));
		SessionLease next = this.lease.succeededBy(2, Duration.ofSeconds(24));
		assertThat(next.isGood(at(25.9))).isTrue();
		assertThat(next.isGood(at(26.1))).isFalse();
	}

	/**
	 * Taking up a session does not show that the leader has followers.
	 */
	@Test
	@Proves(Promise.VALIDITY)
	void sessionThatIsTakenUpAfterALossStillNeedsAQuorum() {
		this.lease.answered(at(10), at(10.1));
		SessionLease same = this.lease.succeededBy(1, Duration.ofSeconds(24));
		assertThat(same).isNotSameAs(this.lease);
		assertThat(same.isGood(at(15.9))).isTrue();
		assertThat(same.isGood(at(16.1))).isFalse();
	}

	/** Before, it waited for two requests with a pause of its time to settle. */
	@Test
	@Proves(Promise.VALIDITY)
	void sessionIsSteadyWithTheFirstAnswerOfAConnectionWhoseBeginningIsKnown() {
		this.lease.confirmed(at(10), at(10.1));
		this.lease.resumed(at(28), at(27.9));
		assertThat(this.lease.isSteady()).isFalse();
		this.lease.confirmed(at(28.1), at(28.2));
		assertThat(this.lease.isGood(at(28.2)) && this.lease.isSteady()).isTrue();
		assertThat(this.lease.isGood(at(43.8))).isTrue();
		assertThat(this.lease.isGood(at(44))).isFalse();
	}

	@Test
	void answersWithoutAPauseSettleToo() {
		for (double time = 0; time < 20; time += 0.05) {
			this.lease.confirmed(at(time), at(time + 0.01));
		}
		assertThat(this.lease.isGood(at(33))).isTrue();
	}

	@Test
	void leaseThatIsShortAfterAnInterruptionIsNotSteadyUntilAnAnswerHasSettled() {
		this.lease.confirmed(at(2), at(2.1));
		this.lease.resumed(at(16));
		assertThat(this.lease.isGood(at(16))).isTrue();
		assertThat(this.lease.isSteady()).isFalse();
		this.lease.confirmed(at(16.1), at(16.2));
		assertThat(this.lease.isSteady()).isFalse();
		this.lease.confirmed(at(18.2), at(18.3));
		assertThat(this.lease.isSteady()).isTrue();
		assertThat(this.lease.isGood(at(32))).isTrue();
	}

	@Test
	void leaseIsSteadyAfterAShortInterruption() {
		this.lease.confirmed(at(10), at(10.1));
		this.lease.resumed(at(16));
		assertThat(this.lease.isSteady()).isTrue();
	}

	@Test
	void leaseThatHadEndedIsNotSteadyUntilItIsLong() {
		this.lease.confirmed(at(2), at(2.1));
		this.lease.confirmed(at(4.2), at(17));
		this.lease.confirmed(at(16), at(17));
		assertThat(this.lease.isGood(at(17))).isTrue();
		assertThat(this.lease.isSteady()).isFalse();
		this.lease.confirmed(at(19.1), at(19.2));
		assertThat(this.lease.isSteady()).isTrue();
		assertThat(this.lease.isGood(at(31.9))).isTrue();
	}

	private static long at(double time) {
		return START + seconds(time);
	}

	private static long seconds(double time) {
		return (long) (time * 1e9);
	}

}
