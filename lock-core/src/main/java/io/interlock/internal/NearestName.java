package io.interlock.internal;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Finds the name that a misspelled one most probably means: the one with the fewest
 * letters and words to change. A choice between names that have more words is none.
 * Stateless.
 *
 * @since 0.1.0
 */
public final class NearestName {

	/** A name is like another one if a third of its letters differ at most. */
	private static final int LIKE = 3;

	/** With words left out, a sixth: short names are like too many. */
	private static final int LIKE_WITHOUT_WORDS = 6;

	private static final String NO_LETTERS = "[^\\p{L}\\p{N}]+";

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
		List<Guess> guesses = known.stream()
			.flatMap((name) -> Stream.concat(whole(written, name), shortened(written, name)))
			.toList();
		int least = guesses.stream().mapToInt(Guess::cost).min().orElse(0);
		List<Guess> best = guesses.stream().filter((guess) -> guess.cost() == least).toList();
		List<String> names = best.stream().map(Guess::name).distinct().toList();
		return best.stream()
			.filter(Guess::whole)
			.map(Guess::name)
			.min(Comparator.naturalOrder())
			.or(() -> names.stream().filter((name) -> names.size() == 1).findFirst());
	}

	private static Stream<Guess> whole(String written, String name) {
		int distance = distance(name, written);
		return Stream.of(new Guess(name, distance, 0)).filter((guess) -> distance * LIKE <= written.length());
	}

	/** Leave out words that stand side by side. */
	private static Stream<Guess> shortened(String written, String name) {
		String letters = written.replaceAll(NO_LETTERS, "");
		List<String> words = List.of(name.split(NO_LETTERS));
		return IntStream.range(0, words.size())
			.boxed()
			.flatMap((from) -> IntStream.rangeClosed(from + 1, words.size())
				.filter((to) -> to - from < words.size())
				.mapToObj((to) -> {
					String rest = String.join("", words.subList(0, from))
							+ String.join("", words.subList(to, words.size()));
					return new Guess(name, distance(rest, letters), to - from);
				}))
			.filter((guess) -> guess.distance() * LIKE_WITHOUT_WORDS <= letters.length());
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

	/**
	 * A name that may be meant.
	 *
	 * @param name the whole name
	 * @param distance how many letters differ
	 * @param omitted how many of its words were left out
	 */
	private record Guess(String name, int distance, int omitted) {

		int cost() {
			return this.distance + this.omitted;
		}

		boolean whole() {
			return this.omitted == 0;
		}

	}

}
