package io.interlock.sample.database;

import java.sql.SQLException;

import io.interlock.sample.BoxOfficeProperties;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.h2.tools.Server;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.stereotype.Component;

/**
 * Serves the in-memory database of this instance to other instances on this machine. No
 * other database can be reached through it.
 *
 * @since 0.1.0
 */
@Component
@ConditionalOnBooleanProperty("sample.database.served")
public class DatabaseServer implements DisposableBean {

	private static final Log logger = LogFactory.getLog(DatabaseServer.class);

	static {
		// H2 reads it once, when the first of its classes is used.
		System.setProperty("h2.bindAddress", "127.0.0.1");
	}

	private final Server server;

	/**
	 * Start the server.
	 * @param properties the settings
	 */
	public DatabaseServer(BoxOfficeProperties properties) {
		BoxOfficeProperties.Database database = properties.database();
		this.server = start(database);
		logger.info("Other instances on this machine reach the database at jdbc:h2:tcp://localhost:%d/%s"
			.formatted(port(), database.name()));
	}

	private static Server start(BoxOfficeProperties.Database database) {
		try {
			return Server
				.createTcpServer("-tcpPort", Integer.toString(database.port()), "-key", database.name(),
						"mem:" + database.name())
				.start();
		}
		catch (SQLException ex) {
			throw new DatabasePortInUseException(database.port(), ex);
		}
	}

	/**
	 * Return where the database is served.
	 * @return the port
	 */
	public int port() {
		return this.server.getPort();
	}

	@Override
	public void destroy() {
		this.server.stop();
	}

}
