package io.interlock.provider;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

import io.interlock.internal.PrintableText;
import org.jspecify.annotations.Nullable;

/**
 * Where the last run of each job is kept for all instances. A {@link LockProvider}
 * implements it if its store can do that. Methods block for a bounded time, and may fail
 * with any {@link RuntimeException}: then an instance knows its own runs only. Safe for
 * use by many threads.
 *
 * @since 0.1.0
 */
public interface RunRecords {

	/** Keep a run as the last one of its name. */
	void record(Run run);

	/** Return the last runs that are known, at most one for each name of a lock. */
	List<Run> runs(Collection<String> names);

	/**
	 * A run that has ended. Immutable. Its texts are made printable, because any client
	 * of the store may have written them.
	 *
	 * @param name name of the lock
	 * @param key key of the lock, or {@code null} if it has none
	 * @param instance where it ran
	 * @param startedAt when it began, by the clock of that instance
	 * @param duration how long it took
	 * @param outcome {@value #SUCCESS}, or the class of its exception
	 * @param lastSuccess when the last run that succeeded ended, or {@code null} if none
	 * is known
	 */
	record Run(String name, @Nullable String key, String instance, Instant startedAt, Duration duration, String outcome,
			@Nullable Instant lastSuccess) {

		/** The outcome of a run without an exception. */
		public static final String SUCCESS = "success";

		public Run {
			key = (key != null) ? PrintableText.of(key) : null;
			instance = PrintableText.of(instance);
			outcome = PrintableText.of(outcome);
		}

		/** Return whether it ended without an exception. */
		public boolean succeeded() {
			return this.outcome.equals(SUCCESS);
		}

		/** Return this run, which knows of the last success before it. */
		public Run after(Run before) {
			return (this.lastSuccess != null) ? this : new Run(this.name, this.key, this.instance, this.startedAt,
					this.duration, this.outcome, before.lastSuccess);
		}

		/** Return all but the name, a line each, for stores that keep texts. */
		public String toText() {
			return String.join("\n", this.startedAt.toString(), this.duration.toString(), this.outcome,
					String.valueOf(this.lastSuccess), this.instance.replace('\n', ' '),
					(this.key != null) ? this.key : "");
		}

		/** Read a {@linkplain #toText() text}, {@code null} if it is of another kind. */
		public static @Nullable Run parse(String name, String text) {
			String[] lines = text.split("\n", 6);
			try {
				return (lines.length < 6) ? null
						: new Run(name, lines[5].isEmpty() ? null : lines[5], lines[4], Instant.parse(lines[0]),
								Duration.parse(lines[1]), lines[2],
								lines[3].equals("null") ? null : Instant.parse(lines[3]));
			}
			catch (DateTimeException ex) {
				return null;
			}
		}

	}

}
