package io.interlock.sample.show.live;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import org.springframework.stereotype.Component;

/**
 * The last few things that happened to this instance and are worth telling. Safe for use
 * by many threads.
 *
 * @since 0.1.0
 */
@Component
public class Story {

	private static final int LENGTH = 30;

	private final Deque<Happening> happenings = new ArrayDeque<>();

	private long last;

	/**
	 * Tell something.
	 * @param kind what kind of thing it is
	 * @param text what happened
	 */
	public synchronized void tell(Kind kind, String text) {
		this.happenings.addLast(new Happening(++this.last, Instant.now(), kind, text));
		if (this.happenings.size() > LENGTH) {
			this.happenings.removeFirst();
		}
	}

	synchronized List<Happening> happenings() {
		return List.copyOf(this.happenings);
	}

	/**
	 * What kind of thing happened.
	 */
	public enum Kind {

		/**
		 * A visitor pressed a button.
		 */
		CONTROL,

		/**
		 * Something was lost.
		 */
		LOSS,

		/**
		 * Something is not known for the moment.
		 */
		DOUBT,

		/**
		 * All is well again.
		 */
		RECOVERY

	}

	/**
	 * Something that happened.
	 *
	 * @param id its number in this instance
	 * @param at when it happened
	 * @param kind what kind of thing it is
	 * @param text what happened
	 */
	record Happening(long id, Instant at, Kind kind, String text) {

	}

}
