package io.interlock.architecture;

import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Lines of code of a source file: all but comments, blank lines, imports and the line of
 * the package.
 */
final class CodeLines {

	private static final Pattern TEXT_OR_COMMENT = Pattern.compile(
			"(\"\"\".*?\"\"\"|\"(?:[^\"\\\\\\n]|\\\\.)*\"|'(?:[^'\\\\\\n]|\\\\.)+')|//[^\\n]*|/\\*.*?\\*/",
			Pattern.DOTALL);

	private static final Predicate<String> HEAD = Pattern.compile("^(?:import|package) ").asPredicate();

	private CodeLines() {
	}

	static long in(String source) {
		return TEXT_OR_COMMENT.matcher(source)
			.replaceAll((found) -> (found.group(1) != null) ? "$1" : "")
			.lines()
			.map(String::strip)
			.filter((line) -> !line.isEmpty() && !HEAD.test(line))
			.count();
	}

}
