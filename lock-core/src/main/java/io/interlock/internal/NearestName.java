package io.interlock.internal;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Finds the name that a misspelled one most probably means. Stateless.
 *
 * @since 0.1.0
 */
public final class NearestName {

	/** A name is like another one if a third of its letters differ at most. */
	private static final int LIKE = 3;

	private NearestName() {
	}

	/** Return the known name that is most like a written one, if one is. */
	public static Optional<String> of(String written, Collection<String> known) {
		return known.stream()
			.min(Comparator.<String>comparingInt((name) -> distance(name, written))
				.thenComparing(Comparator.naturalOrder()))
			.filter((name) -> distance(name, written) * LIKE <= written.length());
	}

	/** Return how many letters are to change, to add or to remove (Levenshtein). */
	private static int distance(String one, String other) {
		int[] row = IntStream.rangeClosed(0, other.length()).toArray();
		for (int i = 1; i <= one.length(); i++) {
			int diagonal = row[0];
			row[0] = i;
			for (int j = 1; j <= other.length(); j++) {
				int changed = diagonal + ((one.charAt(i - 1) == other.charAt(j - 1)) ? 0 : 1);
				diagonal = row[j];
				row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
			}
		}
		return row[other.length()];
	}

}
