package io.interlock.zookeeper.internal.session;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SessionLease} against a model of the servers, on a simulated clock and
 * under many schedules: whenever the lease is good, the leader has heard of the session
 * within two thirds of its timeout. Times are in milliseconds.
 */
class LeaseSafetyTests {

	private static final int SCHEDULES = 4000;

	@Test
	@Proves(value = Promise.VALIDITY, note = "under schedules at random, on a simulated clock")
	void leaderHasHeardOfTheSessionWhoseLeaseIsGood() {
		int regained = 0;
		for (int seed = 0; seed < SCHEDULES; seed++) {
			Schedule schedule = new Schedule(seed);
			schedule.run();
			assertThat(schedule.wrong).as("when the lease was good for too long, with seed %d", seed).isEmpty();
			regained += schedule.regained;
		}
		assertThat(regained).as("leases that were good again").isGreaterThan(SCHEDULES / 10);
	}

	/**
	 * A client, the follower that it is connected to, and the leader. A follower reports
	 * the sessions that it has heard of when the leader pings it, and may be cut off from
	 * the leader for a while. Answers reach the client late, and the lease later still
	 * and in any order.
	 */
	private static final class Schedule {

		private static final int TIMEOUT = 24_000;

		private static final int GOOD = TIMEOUT / 3 * 2;

		private static final int STEP = 50;

		private static final int END = 150_000;

		private final List<Long> wrong = new ArrayList<>();

		private final List<Answer> answers = new ArrayList<>();

		private final SessionLease lease = new SessionLease(1, Duration.ofMillis(TIMEOUT), 0);

		private final Random random;

		/** A third of the schedules is calm, so that leases are good for long. */
		private final int trouble;

		/** Whether the handle tells when its connections were begun. */
		private final boolean timed;

		/** Half a tick. */
		private final int pingMillis;

		private int regained;

		private long now;

		private long leaderHeardAt;

		private boolean heard;

		private boolean pinged;

		private boolean expired;

		private boolean connected = true;

		/** Until when the follower is cut off from the leader. */
		private long cutUntil;

		/** Until when the client has no connection. */
		private long disconnectedUntil;

		/** When the client has begun to make one. */
		private long begunAt;

		/** When the client knows that it has one. */
		private long knownAt;

		Schedule(int seed) {
			this.random = new Random(seed);
			this.trouble = 1 + seed % 3;
			this.timed = seed % 2 == 0;
			this.pingMillis = 500 * (1 + this.random.nextInt(4));
		}

		void run() {
			boolean good = true;
			for (this.now = STEP; this.now < END; this.now += STEP) {
				this.expired |= this.now - this.leaderHeardAt >= TIMEOUT;
				if (!this.expired) {
					servers();
					client();
				}
				noteAnswers();
				boolean before = good;
				good = this.lease.isGood(nanos(this.now));
				this.regained += (good && !before) ? 1 : 0;
				if (good && this.now - this.leaderHeardAt >= GOOD) {
					this.wrong.add(this.now);
				}
			}
		}

		/** A ping that a cut has held up arrives ahead of everything else. */
		private void servers() {
			this.pinged |= this.now % this.pingMillis == 0;
			if (this.now < this.cutUntil) {
				return;
			}
			if (this.pinged && this.heard) {
				this.heard = false;
				this.leaderHeardAt = this.now;
			}
			this.pinged = false;
			if (chance(this.trouble, 300)) {
				this.cutUntil = this.now + this.random.nextInt(12_000);
			}
		}

		private void client() {
			if (this.connected && chance(this.trouble, 600)) {
				this.connected = false;
				this.heard = false;
				this.disconnectedUntil = this.now + STEP * (1 + this.random.nextInt(400));
			}
			else if (!this.connected && this.now == this.disconnectedUntil) {
				takeUp();
			}
			if (!this.connected && this.now == this.knownAt) {
				this.connected = true;
				this.lease.resumed(nanos(this.now), this.timed ? nanos(this.begunAt) : null);
			}
			if (this.connected && chance(1, 30)) {
				request();
			}
		}

		/**
		 * The session is taken up by another follower, which asks the leader; the client
		 * knows a while later. What the last connection has answered is noted by then,
		 * but for what other threads note.
		 */
		private void takeUp() {
			this.begunAt = this.now - STEP * this.random.nextInt(10);
			this.leaderHeardAt = this.now;
			this.cutUntil = this.now;
			this.knownAt = this.now + STEP * this.random.nextInt(10);
		}

		/** The follower asks the quorum, which it cannot while it is cut off. */
		private void request() {
			this.heard = true;
			if (this.now >= this.cutUntil) {
				long answeredAt = this.now + STEP + (chance(1, 5) ? this.random.nextInt(6000) : 0);
				long notedAt = answeredAt + (chance(1, 5) ? this.random.nextInt(6000) : 0);
				this.answers.add(new Answer(this.now, answeredAt, notedAt));
			}
		}

		private void noteAnswers() {
			List<Answer> due = this.answers.stream().filter((answer) -> answer.notedAt() <= this.now).toList();
			this.answers.removeAll(due);
			due.forEach((answer) -> this.lease.confirmed(nanos(answer.sentAt()), nanos(answer.answeredAt())));
		}

		private boolean chance(int times, int of) {
			return this.random.nextInt(of) < times;
		}

		private static long nanos(long millis) {
			return Duration.ofMillis(millis).toNanos();
		}

		/** An answer that a thread has read the clock for, and notes later. */
		private record Answer(long sentAt, long answeredAt, long notedAt) {

		}

	}

}
