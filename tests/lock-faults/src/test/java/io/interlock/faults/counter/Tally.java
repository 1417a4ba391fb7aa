package io.interlock.faults.counter;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How many increments were answered as committed, and how many were refused, by their
 * reasons.
 *
 * @param committed answered as committed
 * @param refused by their reasons
 */
public record Tally(int committed, Map<String, Integer> refused) {

	/**
	 * Nothing was counted.
	 */
	public static final Tally NONE = new Tally(0, Map.of());

	/**
	 * Read what {@link #toString()} wrote.
	 * @param text the text
	 * @return the tally
	 */
	public static Tally parse(String text) {
		String[] words = text.split(" ");
		Map<String, Integer> refused = new TreeMap<>();
		Stream.of(words)
			.skip(1)
			.map((word) -> word.split("="))
			.forEach((pair) -> refused.put(pair[0], Integer.valueOf(pair[1])));
		return new Tally(Integer.parseInt(words[0]), refused);
	}

	/**
	 * Add another one.
	 * @param other the other one
	 * @return both together
	 */
	public Tally plus(Tally other) {
		Map<String, Integer> all = new TreeMap<>(this.refused);
		other.refused.forEach((reason, count) -> all.merge(reason, count, Integer::sum));
		return new Tally(this.committed + other.committed, all);
	}

	/**
	 * {@return how many were refused, by their reasons}
	 */
	public String describeRefused() {
		return this.refused.entrySet()
			.stream()
			.map((entry) -> entry.getValue() + " " + entry.getKey())
			.collect(Collectors.joining(", "));
	}

	Tally plusCommitted() {
		return new Tally(this.committed + 1, this.refused);
	}

	Tally plusRefused(String reason) {
		return plus(new Tally(0, Map.of(reason, 1)));
	}

	@Override
	public String toString() {
		return Stream
			.concat(Stream.of(Integer.toString(this.committed)),
					this.refused.entrySet().stream().map((entry) -> entry.getKey() + "=" + entry.getValue()))
			.collect(Collectors.joining(" "));
	}

}
