package io.interlock.testsupport.page;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import org.springframework.util.Assert;

/**
 * Blocks of code below a heading of a page, so that a test runs what the page says.
 *
 * @since 0.1.0
 */
public final class PageBlocks {

	private static final Path PAGES = Path.of("..", "..", "docs");

	private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\w*)\n(.*?)^```$");

	private PageBlocks() {
	}

	/**
	 * Return the statements of one block.
	 * @param page name of the page, such as {@code security}
	 * @param heading the heading that the block is below, without the signs in front
	 * @param language language of the block
	 * @param index number of the block among those of the language below the heading,
	 * from 0
	 * @param values what stands in the block, and what to put in its place
	 * @return the statements: in SQL they end with a semicolon, in other languages with
	 * the line
	 */
	public static List<String> statements(String page, String heading, String language, int index,
			Map<String, String> values) {
		String block = blocks(page, heading, language).get(index);
		for (Map.Entry<String, String> value : values.entrySet()) {
			Assert.isTrue(block.contains(value.getKey()),
					() -> "'%s' is not in the block: %s".formatted(value.getKey(), blocks(page, heading, language)));
			block = block.replace(value.getKey(), value.getValue());
		}
		return List.of(block.split(language.equals("sql") ? ";\\s*\n" : "\n"));
	}

	/**
	 * Return all blocks of a language.
	 * @param page name of the page, such as {@code security}
	 * @param heading the heading that the blocks are below, without the signs in front
	 * @param language language of the blocks
	 * @return the blocks, as they stand on the page
	 */
	public static List<String> blocks(String page, String heading, String language) {
		String section = section(text(page), heading);
		return BLOCK.matcher(section)
			.results()
			.filter((block) -> block.group(1).equals(language))
			.map((block) -> block.group(2))
			.toList();
	}

	private static String section(String text, String heading) {
		int start = text.indexOf(" " + heading + "\n");
		Assert.isTrue(start > 0, () -> "No heading '%s'".formatted(heading));
		int end = text.indexOf("\n#", start);
		return text.substring(start, (end < 0) ? text.length() : end);
	}

	private static String text(String page) {
		try {
			return Files.readString(PAGES.resolve(page + ".md"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
