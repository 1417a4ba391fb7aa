package io.interlock.jdbc.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;

/**
 * Runs the script that creates the tables of the locks, under the names that they are to
 * have. A statement that is refused is no failure, because the tables may be there. Its
 * reason is kept for the case that they are not.
 */
final class LockTablesInitializer extends DataSourceScriptDatabaseInitializer {

	/** The name of an index has no schema: it is in that of its table. */
	private static final Pattern NAME = Pattern.compile("(\\bINDEX(?: IF NOT EXISTS)? )?\\binterlock_");

	private final String tablePrefix;

	private volatile @Nullable String refusal;

	LockTablesInitializer(DataSource dataSource, DatabaseInitializationSettings settings, String tablePrefix) {
		super(dataSource, settings);
		this.tablePrefix = tablePrefix;
	}

	@Override
	protected void runScripts(Scripts scripts) {
		Charset encoding = (scripts.getEncoding() != null) ? scripts.getEncoding() : Charset.defaultCharset();
		List<Resource> prefixed = new ArrayList<>();
		scripts.forEach((script) -> prefixed.add(prefixed(script, encoding)));
		Scripts named = new Scripts(prefixed).separator(scripts.getSeparator()).encoding(encoding);
		try {
			super.runScripts(named.continueOnError(false));
		}
		catch (RuntimeException ex) {
			this.refusal = NestedExceptionUtils.getMostSpecificCause(ex).getMessage();
			super.runScripts(named.continueOnError(true));
		}
	}

	/**
	 * Return why the database has refused the script.
	 * @return the first reason, or {@code null} if it was not refused, or did not run
	 */
	@Nullable String refusal() {
		return this.refusal;
	}

	private Resource prefixed(Resource script, Charset encoding) {
		String name = this.tablePrefix.substring(this.tablePrefix.indexOf('.') + 1);
		try {
			String text = NAME.matcher(script.getContentAsString(encoding))
				.replaceAll((match) -> (match.group(1) != null) ? match.group(1) + name : this.tablePrefix);
			return new ByteArrayResource(text.getBytes(encoding), script.getDescription());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
