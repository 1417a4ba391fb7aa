package io.interlock.faults.worker;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import io.interlock.LockRequest;

/**
 * What a thread does with locks, again and again.
 */
public enum Workload {

	/**
	 * Everybody wants the same lock and waits as long as it takes.
	 */
	EXCLUSIVE {

		@Override
		void cycle(Actor actor) {
			actor.hold("exclusive", false, LockRequest.FOREVER, Duration.ofMillis(actor.random(15)));
		}

	},

	/**
	 * Readers and writers.
	 */
	READ_WRITE {

		@Override
		void cycle(Actor actor) {
			actor.hold(READ_WRITE_KEY, actor.random(3) > 0, LockRequest.FOREVER, Duration.ofMillis(actor.random(20)));
		}

	},

	/**
	 * Asks again for what it holds.
	 */
	REENTRANT {

		@Override
		void cycle(Actor actor) {
			actor.holdTwice("reentrant", LockRequest.FOREVER, Duration.ofMillis(actor.random(20)),
					Actor.CARELESS_WRITES);
		}

	},

	/**
	 * Gives up soon, also just when it is granted.
	 */
	IMPATIENT {

		@Override
		void cycle(Actor actor) {
			actor.hold("exclusive", false, Duration.ofMillis(actor.random(100)), Duration.ofMillis(actor.random(5)));
		}

	},

	/**
	 * Is interrupted at random, in whatever it does.
	 */
	INTERRUPTED {

		@Override
		void cycle(Actor actor) {
			actor.hold("interrupted", false, LockRequest.FOREVER, Duration.ofMillis(actor.random(10)));
		}

	},

	/**
	 * Holds, two times in three, for longer than any session lasts without a word, and
	 * works to the end whatever it is told. Faults seek whoever has this lock.
	 */
	LONG {

		@Override
		void cycle(Actor actor) {
			int millis = (actor.random(3) > 0) ? 7000 + actor.random(2000) : 500 + actor.random(2000);
			actor.holdTwice(LONG_KEY, Duration.ofSeconds(30), Duration.ofMillis(millis), Integer.MAX_VALUE);
		}

	},

	/**
	 * Forty locks together, or the first half of them, whose requests and releases travel
	 * at once.
	 */
	MANY {

		@Override
		void cycle(Actor actor) {
			actor.holdAll((actor.random(3) > 0) ? MANY_KEYS : MANY_KEYS.subList(0, MANY_KEYS.size() / 2),
					Duration.ofSeconds(30), Duration.ofMillis(100 + actor.random(400)));
		}

	},

	/**
	 * The lock that plain mutexes want too.
	 */
	MIXED {

		@Override
		void cycle(Actor actor) {
			actor.hold(MUTEX_PEERS_KEY, false, Duration.ofSeconds(30), Duration.ofMillis(actor.random(15)));
		}

	},

	/**
	 * The lock that plain readers and writers want too.
	 */
	MIXED_READ_WRITE {

		@Override
		void cycle(Actor actor) {
			actor.hold(READ_WRITE_PEERS_KEY, actor.random(3) > 0, Duration.ofSeconds(30),
					Duration.ofMillis(actor.random(15)));
		}

	};

	/**
	 * The lock that is held for a long time.
	 */
	public static final String LONG_KEY = "long";

	static final String READ_WRITE_KEY = "readwrite";

	static final String READ_WRITE_PEERS_KEY = "mixed-readwrite";

	private static final String MUTEX_PEERS_KEY = "mixed";

	private static final List<String> MANY_KEYS = IntStream.range(0, 40)
		.mapToObj((i) -> "many-%02d".formatted(i))
		.toList();

	/**
	 * All locks that are asked for all the time; the first and the last one of those that
	 * are asked for together.
	 */
	public static final Set<String> KEYS = Set.of("exclusive", READ_WRITE_KEY, "reentrant", "interrupted", LONG_KEY,
			MUTEX_PEERS_KEY, READ_WRITE_PEERS_KEY, MANY_KEYS.get(0), MANY_KEYS.get(MANY_KEYS.size() - 1));

	abstract void cycle(Actor actor);

	static List<Workload> of(Fleet fleet) {
		return switch (fleet) {
			case INTERLOCK, UNQUEUED, LINGERING, BORROWING -> List.of(EXCLUSIVE, EXCLUSIVE, READ_WRITE, READ_WRITE,
					REENTRANT, IMPATIENT, INTERRUPTED, LONG, MANY, MIXED, MIXED_READ_WRITE);
			case PEER -> List.of(MIXED, MIXED_READ_WRITE);
			case PLAIN -> List.of(EXCLUSIVE, EXCLUSIVE, READ_WRITE, READ_WRITE, REENTRANT, IMPATIENT, LONG);
		};
	}

}
