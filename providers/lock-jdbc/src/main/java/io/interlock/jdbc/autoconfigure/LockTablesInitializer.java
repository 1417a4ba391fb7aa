package io.interlock.jdbc.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import io.interlock.lease.LeaseStoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.jdbc.init.PlatformPlaceholderDatabaseDriverResolver;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.core.io.Resource;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.support.MetaDataAccessException;
import org.springframework.util.StringUtils;

/**
 * Runs the script that creates the tables of the locks, under the names that they are to
 * have.
 * <ol>
 * <li>A statement whose table or index is there does not run.
 * <li>A statement that is refused is no failure, because the tables may be there. The
 * first reason is kept for the case that they are not.
 * <li>A statement that has waited for a second for a locked table ends the script, so
 * that no lease is lost behind it. The next start goes on with it.
 * </ol>
 */
final class LockTablesInitializer extends DataSourceScriptDatabaseInitializer {

	private static final Log logger = LogFactory.getLog(LockTablesInitializer.class);

	/** The name of an index has no schema: it is in that of its table. */
	private static final Pattern NAME = Pattern.compile("(\\bINDEX(?: IF NOT EXISTS)? )?\\binterlock_");

	private final LockConnections connections;

	private final JdbcLockProperties properties;

	private final DatabaseInitializationSettings settings;

	private final SchemaStatements database;

	private volatile @Nullable String refusal;

	/** Whether the database has not answered yet. */
	private volatile boolean pending;

	LockTablesInitializer(LockConnections connections, JdbcLockProperties properties) {
		this(connections, properties, new DatabaseInitializationSettings());
	}

	private LockTablesInitializer(LockConnections connections, JdbcLockProperties properties,
			DatabaseInitializationSettings settings) {
		super(connections.requests(), settings);
		this.connections = connections;
		this.properties = properties;
		this.settings = settings;
		this.settings.setMode(properties.initializeSchema());
		this.database = new SchemaStatements(connections.requests());
	}

	/**
	 * Run the script if it is to run, or leave it to {@link #completeInitialization()} if
	 * the database does not answer.
	 */
	@Override
	public boolean initializeDatabase() {
		try {
			return initialize();
		}
		catch (LeaseStoreException ex) {
			this.pending = true;
			logger
				.info("The tables of the locks are created when the database answers (%s)".formatted(ex.getProblem()));
			return false;
		}
	}

	/**
	 * Run the script if the database did not answer before.
	 * @throws LeaseStoreException if it does not answer again
	 */
	void completeInitialization() {
		if (this.pending) {
			initialize();
			this.pending = false;
		}
	}

	private boolean initialize() {
		DatabaseInitializationMode mode = this.properties.initializeSchema();
		if (mode == DatabaseInitializationMode.NEVER
				|| (mode == DatabaseInitializationMode.EMBEDDED && !isEmbeddedDatabase())) {
			return false;
		}
		try {
			this.settings.setSchemaLocations(locations());
			return super.initializeDatabase();
		}
		catch (CannotGetJdbcConnectionException ex) {
			throw ConnectFailures.translate(ex);
		}
	}

	@Override
	protected boolean isEmbeddedDatabase() {
		return this.connections.isEmbedded();
	}

	private List<String> locations() {
		String schema = this.properties.schema();
		String platform = this.properties.platform();
		if (StringUtils.hasText(platform)) {
			return List.of(schema.replace("@@platform@@", platform));
		}
		try {
			return new PlatformPlaceholderDatabaseDriverResolver().resolveAll(getDataSource(), schema);
		}
		catch (IllegalStateException ex) {
			throw (ex.getCause() instanceof MetaDataAccessException) ? ConnectFailures.translate(ex) : ex;
		}
	}

	@Override
	protected void runScripts(Scripts scripts) {
		Charset encoding = (scripts.getEncoding() != null) ? scripts.getEncoding() : Charset.defaultCharset();
		List<String> statements = new ArrayList<>();
		scripts.forEach((script) -> statements.addAll(SqlScript.statements(prefixed(script, encoding))));
		for (String statement : statements) {
			if (!run(statement)) {
				return;
			}
		}
	}

	/**
	 * Run a statement.
	 * @return whether the next one may run
	 */
	private boolean run(String statement) {
		try {
			this.database.run(statement);
		}
		catch (PessimisticLockingFailureException ex) {
			refused(ex);
			logger.warn(("The script that creates the tables of the locks was not completed, because a transaction "
					+ "has kept a table locked: '%s' (%s). Locks use the tables as they are. End that transaction, "
					+ "and start an instance again")
				.formatted(statement, ex.getMostSpecificCause().getMessage()));
			return false;
		}
		catch (DataAccessException ex) {
			refused(ex);
			logger.debug("The script that creates the tables of the locks was refused in part", ex);
		}
		catch (SQLException ex) {
			throw new CannotGetJdbcConnectionException("The tables of the locks cannot be created", ex);
		}
		return true;
	}

	private void refused(DataAccessException ex) {
		if (this.refusal == null) {
			this.refusal = ex.getMostSpecificCause().getMessage();
		}
	}

	/**
	 * Return why the database has refused the script.
	 * @return the first reason, or {@code null} if it was not refused, or did not run
	 */
	@Nullable String refusal() {
		return this.refusal;
	}

	private String prefixed(Resource script, Charset encoding) {
		String prefix = this.properties.tablePrefix();
		String name = prefix.substring(prefix.indexOf('.') + 1);
		try {
			return NAME.matcher(script.getContentAsString(encoding))
				.replaceAll((match) -> (match.group(1) != null) ? match.group(1) + name : prefix);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
