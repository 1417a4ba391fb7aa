package io.interlock.architecture;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The limits of sizes. A limit may fall and never rises; only an editor of its file
 * raises one.
 *
 * @param limits the limits by the names of the sizes
 */
record SizeLimits(SortedMap<String, Long> limits) {

	/** Sizes that are 0 where they have no limit. Any other size without limit is new. */
	static final String CIRCLES = "circles.";

	private static final String WRITE = "write it with -Dinterlock.docs.write=true";

	static SizeLimits read(Path file) throws IOException {
		Properties properties = new Properties();
		try (Reader reader = Files.newBufferedReader(file)) {
			properties.load(reader);
		}
		SortedMap<String, Long> limits = new TreeMap<>();
		properties.stringPropertyNames()
			.forEach((name) -> limits.put(name, Long.valueOf(properties.getProperty(name))));
		return new SizeLimits(limits);
	}

	void write(Path file) throws IOException {
		Files.writeString(file,
				this.limits.entrySet()
					.stream()
					.map((limit) -> limit.getKey() + "=" + limit.getValue() + "\n")
					.collect(Collectors.joining("", "# Sizes that may fall and never rise (RatchetTests).\n", "")));
	}

	/**
	 * Return these limits with those lowered whose size has fallen, and with those of new
	 * sizes.
	 */
	SizeLimits loweredTo(List<Size> sizes) {
		SortedMap<String, Long> lowered = new TreeMap<>();
		for (Size size : sizes) {
			long limit = Math.min(size.value(), limitOf(size.name(), Long.MAX_VALUE));
			if (limit > 0) {
				lowered.put(size.name(), limit);
			}
		}
		return new SizeLimits(lowered);
	}

	/**
	 * Return what is wrong, in a sentence for each size that is not its limit.
	 */
	List<String> violations(List<Size> sizes) {
		List<String> violations = new ArrayList<>();
		Map<String, Long> unmeasured = new TreeMap<>(this.limits);
		for (Size size : sizes) {
			unmeasured.remove(size.name());
			long limit = limitOf(size.name(), -1);
			if (limit < 0) {
				violations.add("%s is new, with %d: %s".formatted(size.name(), size.value(), WRITE));
			}
			else if (size.value() > limit) {
				violations.add("%s rose from %d to %d%s".formatted(size.name(), limit, size.value(),
						size.what().isEmpty() ? "" : ": " + size.what()));
			}
			else if (size.value() < limit) {
				violations.add("%s fell from %d to %d: %s".formatted(size.name(), limit, size.value(), WRITE));
			}
		}
		unmeasured
			.forEach((name, limit) -> violations.add("%s fell from %d to none: %s".formatted(name, limit, WRITE)));
		return violations;
	}

	private long limitOf(String name, long ofNew) {
		return this.limits.getOrDefault(name, name.startsWith(CIRCLES) ? 0 : ofNew);
	}

	/**
	 * Return a table of limits and sizes.
	 */
	String table(List<Size> sizes) {
		return sizes.stream()
			.map((size) -> row(size.name(), this.limits.getOrDefault(size.name(), 0L), size.value(), size.what()))
			.collect(Collectors.joining("", row("size", "limit", "now", ""), ""));
	}

	private static String row(String name, Object limit, Object now, String what) {
		return "%-60s %6s %6s  %s".formatted(name, limit, now, what).stripTrailing() + "\n";
	}

}
