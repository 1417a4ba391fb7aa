package io.interlock.lease;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import io.interlock.lease.LeaseSimulation.Fault;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;

/**
 * Keeps log lines of a simulation back, and lets them fail for want of memory.
 */
final class SimulatedLeaseLog extends TurboFilter {

	private static final SimulatedLeaseLog INSTALLED = new SimulatedLeaseLog();

	private @Nullable Thread thread;

	private @Nullable LeaseSimulation simulation;

	static {
		((LoggerContext) LoggerFactory.getILoggerFactory()).addTurboFilter(INSTALLED);
	}

	/** Run a simulation on the calling thread. */
	static void during(LeaseSimulation simulation, Runnable action) {
		INSTALLED.simulation = simulation;
		INSTALLED.thread = Thread.currentThread();
		try {
			action.run();
		}
		finally {
			INSTALLED.thread = null;
			INSTALLED.simulation = null;
		}
	}

	@Override
	public FilterReply decide(@Nullable Marker marker, Logger logger, Level level, @Nullable String format,
			Object @Nullable [] params, @Nullable Throwable failure) {
		LeaseSimulation running = this.simulation;
		if (running == null || this.thread != Thread.currentThread()) {
			return FilterReply.NEUTRAL;
		}
		if (format != null && level.isGreaterOrEqual(Level.INFO)) {
			if (running.strikesAll(Fault.NO_MEMORY)) {
				throw LeaseSimulation.NO_MEMORY;
			}
			running.tell(() -> level + " " + format);
		}
		return FilterReply.DENY;
	}

}
