package io.interlock.autoconfigure.curator;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.ExecutionException;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;
import org.jspecify.annotations.Nullable;

/**
 * A ZooKeeper server inside this JVM that listens on the loopback interface only.
 */
final class EmbeddedZooKeeper implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(EmbeddedZooKeeper.class);

	private static final String ADDRESS = "127.0.0.1";

	private static final Duration START_TIMEOUT = Duration.ofSeconds(30);

	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

	/**
	 * Every thread of the server descends from the one that starts it, so that the group
	 * tells when the server is really gone.
	 */
	private final ThreadGroup threads = new ThreadGroup("interlock-embedded-zookeeper");

	private final EmbeddedServerDirectory directory;

	private volatile @Nullable ZooKeeperServerEmbedded server;

	private String connectString = "";

	private EmbeddedZooKeeper(EmbeddedServerDirectory directory) {
		this.directory = directory;
	}

	static EmbeddedZooKeeper start(ZooKeeperProperties.Embedded properties) {
		EmbeddedServerRequirements.checkLibraries(EmbeddedZooKeeper.class.getClassLoader());
		if (properties.port() != 0) {
			EmbeddedServerRequirements.checkPort(ADDRESS, properties.port());
		}
		EmbeddedZooKeeper server = new EmbeddedZooKeeper(EmbeddedServerDirectory.create(properties.dataDir()));
		try {
			server.start(properties.port());
			return server;
		}
		catch (RuntimeException ex) {
			server.close();
			throw ex;
		}
	}

	private void start(int port) {
		Properties configuration = new Properties();
		configuration.setProperty("clientPortAddress", ADDRESS);
		configuration.setProperty("clientPort", Integer.toString(port));
		configuration.setProperty("dataDir", this.directory.data().toString());
		configuration.setProperty("tickTime", "2000");
		configuration.setProperty("admin.enableServer", "false");
		BoundedTask task = new BoundedTask(this.threads, "interlock-embedded-zookeeper-start",
				() -> start(this.directory.base(), configuration));
		try {
			if (!task.run(START_TIMEOUT)) {
				throw startFailure("it was not ready within %d s".formatted(START_TIMEOUT.toSeconds()), null);
			}
		}
		catch (ExecutionException ex) {
			throw startFailure(String.valueOf(ex.getCause()), ex.getCause());
		}
		logger.warn("Embedded ZooKeeper listens on %s, data in %s. It is for development, not for production"
			.formatted(this.connectString, this.directory));
	}

	private void start(Path base, Properties configuration) throws Exception {
		ZooKeeperServerEmbedded server = ZooKeeperServerEmbedded.builder()
			.baseDir(base)
			.configuration(configuration)
			.exitHandler(ExitHandler.LOG_ONLY)
			.build();
		this.server = server;
		server.start(START_TIMEOUT.toMillis());
		this.connectString = server.getConnectionString();
	}

	private static EmbeddedZooKeeperException startFailure(String reason, @Nullable Throwable cause) {
		return new EmbeddedZooKeeperException("The embedded ZooKeeper server did not start: %s.".formatted(reason),
				"The log of org.apache.zookeeper says more. Make sure that "
						+ "interlock.zookeeper.embedded.data-dir is writable and holds no damaged data.",
				cause);
	}

	String connectString() {
		return this.connectString;
	}

	@Override
	public void close() {
		try {
			ZooKeeperServerEmbedded server = this.server;
			if (server != null
					&& !new BoundedTask("interlock-embedded-zookeeper-stop", () -> stop(server)).run(STOP_TIMEOUT)) {
				logger.warn("Embedded ZooKeeper did not stop within %d s".formatted(STOP_TIMEOUT.toSeconds()));
			}
		}
		catch (ExecutionException ex) {
			logger.warn("Failed to stop embedded ZooKeeper", ex.getCause());
		}
		finally {
			this.directory.delete();
		}
	}

	private void stop(ZooKeeperServerEmbedded server) throws InterruptedException {
		server.close();
		Thread[] remaining = new Thread[this.threads.activeCount() + 1];
		int count = this.threads.enumerate(remaining);
		for (int i = 0; i < count; i++) {
			remaining[i].join();
		}
	}

}
