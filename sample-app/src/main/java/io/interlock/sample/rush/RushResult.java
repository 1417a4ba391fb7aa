package io.interlock.sample.rush;

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
 * @param durationMillis how long it took
 * @param instances what the buyers of each instance got
 */
record RushResult(long eventId, String title, int buyers, int seats, int sold, int oversold, int doubleBooked,
		long durationMillis, List<Share> instances) {

	static RushResult of(long eventId, int buyers, Report report, long durationMillis, List<Share> shares) {
		int oversold = Math.max(0, report.sold() - report.seats());
		return new RushResult(eventId, report.title(), buyers, report.seats(), report.sold(), oversold,
				report.doubleBooked(), durationMillis, shares);
	}

}
