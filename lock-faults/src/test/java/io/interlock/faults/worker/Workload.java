package io.interlock.faults.worker;

import java.time.Duration;
import java.util.List;

import io.interlock.LockRequest;

/**
 * What a thread does with locks, again and again.
 */
enum Workload {

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
			actor.holdTwice("reentrant", Duration.ofMillis(actor.random(10)));
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
			actor.holdInterrupted("interrupted", Duration.ofMillis(actor.random(10)));
		}

	},

	/**
	 * Holds for longer than a session may last without a word.
	 */
	LONG {

		@Override
		void cycle(Actor actor) {
			actor.hold("long", false, Duration.ofSeconds(30), Duration.ofMillis(500 + actor.random(5000)));
		}

	},

	/**
	 * The lock that plain mutexes want too.
	 */
	MIXED {

		@Override
		void cycle(Actor actor) {
			actor.hold("mixed", false, Duration.ofSeconds(30), Duration.ofMillis(actor.random(15)));
		}

	};

	static final String READ_WRITE_KEY = "readwrite";

	abstract void cycle(Actor actor);

	static List<Workload> of(Fleet fleet) {
		return switch (fleet) {
			case INTERLOCK ->
				List.of(EXCLUSIVE, EXCLUSIVE, READ_WRITE, READ_WRITE, REENTRANT, IMPATIENT, INTERRUPTED, LONG, MIXED);
			case PEER -> List.of(MIXED);
			case PLAIN -> List.of(EXCLUSIVE, EXCLUSIVE, READ_WRITE, READ_WRITE, REENTRANT, IMPATIENT, LONG);
		};
	}

}
