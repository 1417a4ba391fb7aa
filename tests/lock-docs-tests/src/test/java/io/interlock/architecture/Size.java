package io.interlock.architecture;

import java.util.Set;

/**
 * A size of the code that is measured.
 *
 * @param name what is measured, and where
 * @param value how large it is
 * @param what names of what was counted, empty where there is nothing to name
 */
record Size(String name, long value, String what) {

	static Size of(String name, long value) {
		return new Size(name, value, "");
	}

	/** Return how many there are, with their names. */
	static Size of(String name, Set<String> counted) {
		return new Size(name, counted.size(), String.join(", ", counted));
	}

}
