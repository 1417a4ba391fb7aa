package io.interlock.zookeeper.internal.engine;

import java.util.function.LongSupplier;

/**
 * How many writes of one session may be under way before those that can wait and travel
 * together. Near its servers a session waits for processors, and one transaction costs
 * them less than many writes. Far away a write that waits loses a part of a round trip,
 * and processors are idle. So as many are allowed as could be worked off one after the
 * other within a round trip, from {@value #LEAST} to {@value #MOST}.
 * <p>
 * Invariant: a round trip counts only if it began with at most {@value #LEAST} writes
 * under way, and the shortest of some counts. Otherwise writes that wait at a busy server
 * would lengthen it, and so let more be under way. After {@value #PERIOD} writes without
 * such a measurement {@value #LEAST} are allowed until there is one, as in BBR, a
 * congestion control (draft-ietf-ccwg-bbr, "ProbeRTT").
 * <p>
 * Used under the monitor of the queue. An error within a call spoils one measurement, and
 * nothing else.
 */
final class WriteWindow {

	/** Two threads that each release one lock and acquire another do not wait. */
	static final int LEAST = 4;

	/** Enough for eight threads that each release one lock and acquire another. */
	static final int MOST = 16;

	private static final int SAMPLES = 8;

	private static final int PERIOD = 10_000;

	/** What a write of its own and its list take of the processors of both sides. */
	private static final long NANOS_PER_WRITE = 80_000;

	private final LongSupplier clock;

	private final int least;

	private final int most;

	private int allowed;

	private long sentAt;

	/** Answers up to that of the measured write, because they come in order. */
	private int awaited;

	private int samples;

	private long shortest = Long.MAX_VALUE;

	private int unmeasured;

	private WriteWindow(LongSupplier clock, int least, int most) {
		this.clock = clock;
		this.least = least;
		this.most = most;
		this.allowed = most;
	}

	/** Create a window that follows the round trips of a session. */
	static WriteWindow measured(LongSupplier clock) {
		return new WriteWindow(clock, LEAST, MOST);
	}

	static WriteWindow fixed(int writes) {
		return new WriteWindow(() -> 0, writes, writes);
	}

	int allowed() {
		return this.allowed;
	}

	int most() {
		return this.most;
	}

	/** {@code underWay}: how many are under way with this one. */
	void sent(int underWay) {
		if (this.awaited == 0 && underWay <= this.least) {
			this.sentAt = this.clock.getAsLong();
			this.awaited = underWay;
		}
	}

	void answered() {
		if (this.awaited > 0 && --this.awaited == 0) {
			measured(this.clock.getAsLong() - this.sentAt);
		}
		else if (++this.unmeasured >= PERIOD) {
			this.allowed = this.least;
		}
	}

	private void measured(long roundTrip) {
		this.shortest = Math.min(this.shortest, roundTrip);
		if (++this.samples == SAMPLES) {
			this.allowed = (int) Math.max(this.least, Math.min(this.most, this.shortest / NANOS_PER_WRITE));
			this.samples = 0;
			this.shortest = Long.MAX_VALUE;
			this.unmeasured = 0;
		}
	}

}
