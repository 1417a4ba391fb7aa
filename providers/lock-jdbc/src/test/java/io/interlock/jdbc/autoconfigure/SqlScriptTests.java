package io.interlock.jdbc.autoconfigure;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SqlScript}.
 */
class SqlScriptTests {

	@Test
	void statementsEndWithSemicolons() {
		assertThat(SqlScript
			.statements("CREATE TABLE a (\n\tx INT\n);\n\nCREATE TABLE b (y INT); INSERT INTO a SELECT 1\n"))
			.containsExactly("CREATE TABLE a (\n\tx INT\n)", "CREATE TABLE b (y INT)", "INSERT INTO a SELECT 1");
	}

	@Test
	void quotedSemicolonEndsNoStatement() {
		assertThat(SqlScript.statements("INSERT INTO a VALUES ('it''s; -- one', 4 - 2 / 1);"))
			.containsExactly("INSERT INTO a VALUES ('it''s; -- one', 4 - 2 / 1)");
	}

	@Test
	void commentsAreNoStatements() {
		assertThat(SqlScript.statements("-- it's; a comment\nDROP TABLE a; /* and;\nanother */;\n--"))
			.containsExactly("DROP TABLE a");
	}

}
