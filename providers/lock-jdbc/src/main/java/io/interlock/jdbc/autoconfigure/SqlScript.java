package io.interlock.jdbc.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Splits a script into statements, which end with a semicolon.
 */
final class SqlScript {

	/** Quoted text, a comment, the end of a statement, or anything else. */
	private static final Pattern TOKEN = Pattern.compile("'[^']*'|\"[^\"]*\"|--[^\\n]*|/\\*.*?\\*/|;|[^'\"\\-/;]+|.",
			Pattern.DOTALL);

	private SqlScript() {
	}

	static List<String> statements(String script) {
		List<String> statements = new ArrayList<>();
		StringBuilder statement = new StringBuilder();
		TOKEN.matcher(script + ";").results().map((token) -> token.group()).forEach((token) -> {
			if (token.equals(";")) {
				statements.add(statement.toString().strip());
				statement.setLength(0);
			}
			else if (!token.startsWith("--") && !token.startsWith("/*")) {
				statement.append(token);
			}
		});
		statements.removeIf(String::isEmpty);
		return statements;
	}

}
