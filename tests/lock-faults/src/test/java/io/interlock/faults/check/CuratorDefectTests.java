package io.interlock.faults.check;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CuratorDefect} on histories in which two hold together from 20 to 30.
 */
class CuratorDefectTests {

	private static final String HOLDER = "worker1#0.1";

	private final History history = new History();

	private final ObservedHold held = new ObservedHold("lock", false, HOLDER, 0, 0, 10);

	@BeforeEach
	void holdTogether() {
		this.held.valid(30);
		this.history.add(this.held);
		ObservedHold next = new ObservedHold("lock", false, "worker2#0.1", 0, 5, 20);
		next.valid(25);
		this.history.add(next);
	}

	@Test
	void lateAnswerIsF1() {
		this.history
			.add(new ObservedAttempt("worker", 0, Outcome.UNAVAILABLE, 0, DeadlineChecker.ALLOWED_NANOS + 1, 0));
		assertThat(CuratorDefect.F1.count(this.history)).isEqualTo(1);
	}

	@Test
	void answerThatIsSetAsideIsNot() {
		this.history
			.add(new ObservedAttempt("worker", 0, Outcome.UNAVAILABLE, 0, DeadlineChecker.ALLOWED_NANOS + 1, 1));
		assertThat(CuratorDefect.F1.count(this.history)).isZero();
	}

	@Test
	void silenceBehindAServerThatIsCutOffIsF2() {
		this.history.add(new ObservedFault("FOLLOWER_CUT_OFF", "server 1", 12, 40));
		assertThat(CuratorDefect.F2.count(this.history)).isEqualTo(1);
	}

	@Test
	void silenceOfAWorkerThatWasStoppedIsNot() {
		this.history.add(new ObservedFault("FOLLOWER_CUT_OFF", "server 1", 12, 40));
		this.history.add(new ObservedFault("WORKER_STOPPED_LONG", "worker1", 12, 25));
		assertThat(CuratorDefect.F2.count(this.history)).isZero();
	}

	@Test
	void lostAfterTheNextGrantIsF4() {
		this.history.connection(HOLDER, "SUSPENDED", 15);
		this.history.connection(HOLDER, "LOST", 25);
		assertThat(CuratorDefect.F4.count(this.history)).isEqualTo(1);
	}

	@Test
	void lostBeforeTheNextGrantIsNot() {
		this.history.connection(HOLDER, "SUSPENDED", 15);
		this.history.connection(HOLDER, "LOST", 18);
		assertThat(CuratorDefect.F4.count(this.history)).isZero();
	}

	@Test
	void enteringAgainBesideTheNextIsF5() {
		this.held.reentered(22);
		assertThat(CuratorDefect.F5.count(this.history)).isEqualTo(1);
	}

	@Test
	void enteringAgainBeforeTheNextIsNot() {
		this.held.reentered(15);
		assertThat(CuratorDefect.F5.count(this.history)).isZero();
	}

}
