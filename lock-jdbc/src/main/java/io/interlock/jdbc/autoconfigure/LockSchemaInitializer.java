package io.interlock.jdbc.autoconfigure;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.core.NestedExceptionUtils;

/**
 * Runs the script that creates the tables of the locks. A statement that is refused is no
 * failure, because the tables may be there. Its reason is kept for the case that they are
 * not.
 */
final class LockSchemaInitializer extends DataSourceScriptDatabaseInitializer {

	private volatile @Nullable String refusal;

	LockSchemaInitializer(DataSource dataSource, DatabaseInitializationSettings settings) {
		super(dataSource, settings);
	}

	@Override
	protected void runScripts(Scripts scripts) {
		try {
			super.runScripts(scripts.continueOnError(false));
		}
		catch (RuntimeException ex) {
			this.refusal = NestedExceptionUtils.getMostSpecificCause(ex).getMessage();
			super.runScripts(scripts.continueOnError(true));
		}
	}

	/**
	 * Return why the database has refused the script.
	 * @return the first reason, or {@code null} if it was not refused, or did not run
	 */
	@Nullable String refusal() {
		return this.refusal;
	}

}
