package io.interlock.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.util.Assert;

/**
 * A page of the documentation in Markdown.
 *
 * @param path where the page is, relative to the module of the tests
 * @param text its source
 */
record Page(Path path, String text) {

	private static final Pattern FENCED = Pattern.compile("(?ms)^[ \\t]*```.*?^[ \\t]*```[^\\n]*$");

	private static final String IMAGE = "^ *<(?:source|img) .*\\bsrc(?:set)?=\"([^\"]+)\"";

	private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)|^\\[[^\\]]+\\]:\\s*(\\S+)|" + IMAGE,
			Pattern.MULTILINE);

	private static final Pattern HEADING = Pattern.compile("^#{1,6} (.+)$", Pattern.MULTILINE);

	private static final Pattern HEADING_LINK = Pattern.compile("\\[([^\\]]*)\\]\\([^)]*\\)");

	private static final Pattern NOT_IN_ANCHOR = Pattern.compile("[^\\p{L}\\p{N} _-]");

	static Page of(String path) {
		return of(Path.of(path));
	}

	private static Page of(Path path) {
		try {
			return new Page(path.normalize(), Files.readString(path));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the pages of the root directory, of {@code .github}, of {@code docs} with
	 * the folders for maintainers, and of the sample.
	 */
	static List<Page> all() {
		return Stream
			.of("../..", "../../.github", "../../docs", "../../docs/internals", "../../docs/internals/decisions",
					"../../sample-app")
			.flatMap(Page::in)
			.toList();
	}

	private static Stream<Page> in(String directory) {
		try (Stream<Path> files = Files.list(Path.of(directory))) {
			return files.filter((file) -> file.toString().endsWith(".md")).sorted().toList().stream().map(Page::of);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	int bytes() {
		return this.text.getBytes(StandardCharsets.UTF_8).length;
	}

	String withoutCode() {
		return FENCED.matcher(this.text).replaceAll("");
	}

	/**
	 * Return the targets of all links, those of images and references included.
	 */
	List<String> links() {
		return LINK.matcher(withoutCode()).results().map(Page::target).toList();
	}

	private static String target(MatchResult link) {
		return Stream.of(1, 2, 3).map(link::group).filter(Objects::nonNull).findFirst().orElseThrow();
	}

	/**
	 * Return the anchors of all headings, as GitHub makes them.
	 */
	Set<String> anchors() {
		Map<String, Integer> count = new HashMap<>();
		List<String> anchors = new ArrayList<>();
		HEADING.matcher(withoutCode()).results().map((heading) -> anchor(heading.group(1))).forEach((anchor) -> {
			int before = count.merge(anchor, 1, Integer::sum) - 1;
			anchors.add((before == 0) ? anchor : anchor + "-" + before);
		});
		return anchors.stream().collect(Collectors.toSet());
	}

	/**
	 * Return what is below a heading, up to the next one of any level.
	 */
	String section(String anchor) {
		boolean code = false;
		StringBuilder section = null;
		for (String line : this.text.lines().toList()) {
			code ^= line.strip().startsWith("```");
			Matcher heading = HEADING.matcher(line);
			if (!code && heading.matches()) {
				if (section != null) {
					return section.toString();
				}
				section = anchor(heading.group(1)).equals(anchor) ? new StringBuilder() : null;
			}
			else if (section != null) {
				section.append(line).append('\n');
			}
		}
		Assert.state(section != null, () -> "%s has no heading %s".formatted(this.path, anchor));
		return section.toString();
	}

	private static String anchor(String heading) {
		String text = HEADING_LINK.matcher(heading).replaceAll("$1").strip().toLowerCase(Locale.ROOT);
		return NOT_IN_ANCHOR.matcher(text).replaceAll("").replace(' ', '-');
	}

	@Override
	public String toString() {
		return this.path.toString();
	}

}
