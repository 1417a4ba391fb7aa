package io.interlock.benchmark;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What stands on the command line.
 *
 * @param scenarios names of the scenarios to run; none means all
 * @param rounds how often each contestant is measured
 * @param seconds how long each time, the warm-up included
 * @param keys how many keys, waiters or locks there are at the most, if it is said
 * @param serverHeap heap of the server
 * @param directory where files go
 */
record Options(Set<String> scenarios, int rounds, double seconds, OptionalLong keys, String serverHeap,
		Path directory) {

	private static final Options DEFAULTS = new Options(Set.of(), 3, 2.5, OptionalLong.empty(), "256m",
			Path.of("target/benchmark"));

	private static final Options QUICK = new Options(Set.of(), 1, 0.5, OptionalLong.of(3000), "256m",
			DEFAULTS.directory());

	static Options parse(String[] args) {
		List<String> words = Arrays.stream(args).filter((word) -> !word.isBlank()).toList();
		Options options = words.contains("--quick") ? QUICK : DEFAULTS;
		for (String word : words) {
			if (!word.equals("--quick")) {
				options = options.with(word);
			}
		}
		return options;
	}

	private Options with(String word) {
		int equals = word.indexOf('=');
		String name = (equals > 0) ? word.substring(0, equals) : word;
		String value = word.substring(equals + 1);
		return switch (name) {
			case "--scenario" -> new Options(Arrays.stream(value.split(",")).collect(Collectors.toSet()), this.rounds,
					this.seconds, this.keys, this.serverHeap, this.directory);
			case "--rounds" -> new Options(this.scenarios, Integer.parseInt(value), this.seconds, this.keys,
					this.serverHeap, this.directory);
			case "--seconds" -> new Options(this.scenarios, this.rounds, Double.parseDouble(value), this.keys,
					this.serverHeap, this.directory);
			case "--keys" -> new Options(this.scenarios, this.rounds, this.seconds,
					OptionalLong.of(Long.parseLong(value.replace("_", ""))), this.serverHeap, this.directory);
			case "--server-heap" ->
				new Options(this.scenarios, this.rounds, this.seconds, this.keys, value, this.directory);
			case "--directory" ->
				new Options(this.scenarios, this.rounds, this.seconds, this.keys, this.serverHeap, Path.of(value));
			default -> throw new IllegalArgumentException(("Unknown option '%s'. Known: --quick --scenario=NAME,NAME "
					+ "--rounds=N --seconds=N --keys=N --server-heap=256m --directory=DIR")
				.formatted(word));
		};
	}

}
