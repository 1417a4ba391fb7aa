package io.interlock.faults.worker;

import io.interlock.faults.check.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * What came of an attempt.
 *
 * @param outcome how it ended
 * @param held the lock, if it was acquired
 */
public record Answer(Outcome outcome, @Nullable Held held) {

	static Answer acquired(Held held) {
		return new Answer(Outcome.ACQUIRED, held);
	}

	static Answer without(Outcome outcome) {
		return new Answer(outcome, null);
	}

}
