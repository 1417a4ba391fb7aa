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

	/**
	 * Return a question for the known name that is most like a written one.
	 * @param written the name that is not known
	 * @param known those that are
	 * @param format how to show the known one, such as {@code '%s'}
	 * @return a sentence behind a space, or an empty text if no known name is like it
	 */
	public static String didYouMean(String written, Collection<String> known, String format) {
		return of(written, known).map((name) -> " Did you mean %s?".formatted(format.formatted(name))).orElse("");
	}

	/** Return the known name that is most like a written one, if one is. */
	static Optional<String> of(String written, Collection<String> known) {
		return known.stream()
			.min(Comparator.<String>comparingInt((name) -> distance(name, written))
				.thenComparing(Comparator.naturalOrder()))
			.filter((name) -> distance(name, written) * LIKE <= written.length());
	}

	/**
	 * Return how many letters are to change, to add, to remove, or to swap with the next
	 * one (the optimal string alignment of Damerau and Levenshtein).
	 */
	private static int distance(String one, String other) {
		int[] beforeLast = {};
		int[] last = IntStream.rangeClosed(0, other.length()).toArray();
		for (int i = 1; i <= one.length(); i++) {
			int[] row = new int[last.length];
			row[0] = i;
			for (int j = 1; j < row.length; j++) {
				int changed = last[j - 1] + ((one.charAt(i - 1) == other.charAt(j - 1)) ? 0 : 1);
				row[j] = Math.min(changed, 1 + Math.min(last[j], row[j - 1]));
				if (isSwapped(one, i, other, j)) {
					row[j] = Math.min(row[j], 1 + beforeLast[j - 2]);
				}
			}
			beforeLast = last;
			last = row;
		}
		return last[other.length()];
	}

	private static boolean isSwapped(String one, int i, String other, int j) {
		return i > 1 && j > 1 && one.charAt(i - 1) == other.charAt(j - 2) && one.charAt(i - 2) == other.charAt(j - 1);
	}

}
