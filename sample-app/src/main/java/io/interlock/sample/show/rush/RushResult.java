package io.interlock.sample.show.rush;

import java.util.List;

import io.interlock.sample.event.Report;

/**
 * How a rush went.
 *
 * @param eventId the event
 * @param title what is on
 * @param buyers how many buyers there were
 * @param seats how many seats there are
 * @param sold how many tickets there are
 * @param oversold how many tickets there are too many
 * @param doubleBooked how many tickets are for a seat that was sold before
 * @param grants how often ZooKeeper granted the lock of the event meanwhile
 * @param handoffs how often a thread handed it to the next one without asking ZooKeeper
 * @param durationMillis how long it took
 * @param instances what the buyers of each instance got
 */
record RushResult(long eventId, String title, int buyers, int seats, int sold, int oversold, int doubleBooked,
		long grants, long handoffs, long durationMillis, List<Share> instances) {

	static RushResult of(long eventId, int buyers, Report report, long durationMillis, List<Share> shares) {
		int oversold = Math.max(0, report.sold() - report.seats());
		return new RushResult(eventId, report.title(), buyers, report.seats(), report.sold(), oversold,
				report.doubleBooked(), shares.stream().mapToLong(Share::grants).sum(),
				shares.stream().mapToLong(Share::handoffs).sum(), durationMillis, shares);
	}

}
