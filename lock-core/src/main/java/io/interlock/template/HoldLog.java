package io.interlock.template;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.interlock.LockHandle;
import io.interlock.LockId;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** The lines on holds that would otherwise be logged again and again. */
final class HoldLog {

	/** Known to users, who set its level. */
	private static final String LOGGER = "io.interlock.template.Hold";

	private static final Log logger = LogFactory.getLog(LOGGER);

	private final OutageLines lost;

	private final OutageLines unconfirmed;

	private final Set<String> movedNames = ConcurrentHashMap.newKeySet();

	HoldLog(LockTime time) {
		this.lost = new OutageLines("locks were lost", logger::error, time);
		this.unconfirmed = new OutageLines("locks were released while the servers did not answer", logger::warn, time);
	}

	void lost(LockHandle hold, String thread, boolean kept) {
		if (kept) {
			this.lost.log(logger::warn, "Lost lock %s before its minimum hold time was over".formatted(hold.id()));
			return;
		}
		this.lost.log(logger::error,
				("Lost lock %s, which thread '%s' has held since %s with token %d: others may hold it now, and what was "
						+ "done under it since then is in doubt. Writes that carry the token can still be refused")
					.formatted(hold.id(), thread, hold.acquiredAt(), hold.fencingToken()));
	}

	void freed(LockId id) {
		this.lost.log(logger::warn,
				"Lock %s was freed before its minimum hold time was over, by an operator or in its store"
					.formatted(id));
	}

	void unconfirmed(LockId id) {
		this.unconfirmed.log(logger::warn,
				("Lock %s is released while the servers do not answer: if it was lost, this is reported when they "
						+ "do")
					.formatted(id));
	}

	boolean isFirstMove(String name) {
		return this.movedNames.add(name);
	}

	void tellRest() {
		this.lost.tellRest();
		this.unconfirmed.tellRest();
	}

	/**
	 * Lines on holds that an outage affects, perhaps hundreds at a time. Invariant: of
	 * the holds within ten seconds, the first ten have a line each, and the others have
	 * one line together when that time is over. Each of the others is logged at DEBUG.
	 */
	private static final class OutageLines {

		private static final int LINES = 10;

		private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

		private final String news;

		private final Consumer<Object> level;

		private final LockTime time;

		private final AtomicInteger count = new AtomicInteger();

		OutageLines(String news, Consumer<Object> level, LockTime time) {
			this.news = news;
			this.level = level;
			this.time = time;
		}

		void log(Consumer<Object> level, String line) {
			int number = this.count.incrementAndGet();
			if (number == 1) {
				this.time.schedule(() -> this.time.execute(this::tellRest), WINDOW_NANOS);
			}
			if (number <= LINES) {
				level.accept(line);
			}
			else {
				logger.debug(line);
			}
		}

		void tellRest() {
			int rest = this.count.getAndSet(0) - LINES;
			if (rest > 0) {
				this.level
					.accept("%d more %s: the logger %s logs each of them at DEBUG".formatted(rest, this.news, LOGGER));
			}
		}

	}

}
