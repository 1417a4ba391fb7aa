package io.interlock.faults.worker;

import java.util.Map;

import io.interlock.faults.check.Outcome;

/**
 * What came of an attempt to acquire many locks together.
 *
 * @param outcome how it ended
 * @param held the locks by their keys, none if they were not acquired
 * @param release releases all of them
 */
record GroupAnswer(Outcome outcome, Map<String, Held> held, Runnable release) {

	static GroupAnswer without(Outcome outcome) {
		return new GroupAnswer(outcome, Map.of(), () -> {
		});
	}

}
