package io.interlock.zookeeper.internal.session;

import java.time.Duration;
import java.time.Instant;

import io.interlock.zookeeper.SessionSnapshot.State;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SessionStatus}: a timeout of 24 seconds, so that beats are two seconds
 * apart and a third is eight. Times are given in seconds.
 */
class SessionStatusTests {

	private static final long START = Long.MAX_VALUE - seconds(4);

	private final SessionLease lease = new SessionLease(1, Duration.ofSeconds(24), START);

	@Test
	void serversAnswerLatelyForAThirdOfTheTimeout() {
		assertThat(answersLately(7.9)).isTrue();
		assertThat(answersLately(8.1)).isFalse();
	}

	@Test
	void beatThatWasSentAMomentAgoSaysNothing() {
		this.lease.asked(at(2));
		assertThat(answersLately(2.1)).isTrue();
		assertThat(answersLately(3.9)).isTrue();
	}

	@Test
	void beatWithoutAnAnswerWhenTheNextOneIsDueSaysThatTheServersAreSilent() {
		this.lease.asked(at(2));
		this.lease.asked(at(4));
		assertThat(answersLately(4.1)).isFalse();
	}

	@Test
	void beatThatIsAnsweredLateSaysThatTheServersAnswer() {
		this.lease.asked(at(2));
		this.lease.returned(at(2));
		this.lease.confirmed(at(2), at(6));
		assertThat(answersLately(6)).isTrue();
	}

	/** Its request could not be sent, and a busy instance sends no other beat. */
	@Test
	void beatThatNeverReturnsSaysNothingOnceALaterRequestIsAnswered() {
		this.lease.asked(at(2));
		this.lease.confirmed(at(1), at(5));
		assertThat(answersLately(5)).isFalse();
		this.lease.confirmed(at(4), at(5));
		assertThat(answersLately(5)).isTrue();
	}

	@Test
	void beatWhoseConnectionBrokeSaysNothingOfTheNextConnection() {
		this.lease.asked(at(2));
		this.lease.returned(at(2));
		this.lease.resumed(at(6));
		assertThat(answersLately(6.1)).isTrue();
	}

	@Test
	void serversDoNotAnswerWithoutAConnection() {
		assertThat(status(State.SUSPENDED).answersLately(at(1))).isFalse();
		assertThat(SessionStatus.initial().answersLately(at(1))).isFalse();
	}

	private boolean answersLately(double time) {
		return status(State.CONNECTED).answersLately(at(time));
	}

	private SessionStatus status(State state) {
		return new SessionStatus(state, Instant.EPOCH, this.lease, 0, 0, null);
	}

	private static long at(double time) {
		return START + seconds(time);
	}

	private static long seconds(double time) {
		return (long) (time * 1e9);
	}

}
