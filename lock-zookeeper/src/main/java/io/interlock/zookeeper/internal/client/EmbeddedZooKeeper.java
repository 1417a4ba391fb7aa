package io.interlock.zookeeper.internal.client;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.interlock.internal.LockThreads;
import io.interlock.zookeeper.EmbeddedZooKeeperServer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;
import org.springframework.util.FileSystemUtils;

/**
 * A ZooKeeper server inside this JVM that listens on the loopback interface only.
 *
 * @since 0.1.0
 */
public final class EmbeddedZooKeeper implements EmbeddedZooKeeperServer, AutoCloseable {

	static final String METRICS_LIBRARY = "io.dropwizard.metrics:metrics-core:4.1.12.1";

	static final String SNAPPY_LIBRARY = "org.xerial.snappy:snappy-java:1.1.10.8";

	private static final Log logger = LogFactory.getLog(EmbeddedZooKeeper.class);

	private static final String ADDRESS = "127.0.0.1";

	private static final Duration START_TIMEOUT = Duration.ofSeconds(30);

	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

	/** Group of all threads of the server: when it is empty, the server is gone. */
	private final ThreadGroup threads = new ThreadGroup("interlock-embedded-zookeeper");

	/** Temporary, because the server leaves a configuration file here on every start. */
	private final Path baseDirectory;

	private final Path dataDirectory;

	private volatile @Nullable ZooKeeperServerEmbedded server;

	private volatile String connectString = "";

	private boolean closed;

	private EmbeddedZooKeeper(@Nullable Path dataDirectory) {
		try {
			Path data = (dataDirectory != null) ? Files.createDirectories(dataDirectory.toAbsolutePath()) : null;
			// The process id tells which killed process has left the directory behind.
			this.baseDirectory = Files
				.createTempDirectory("interlock-zookeeper-%d-".formatted(ProcessHandle.current().pid()));
			this.dataDirectory = (data != null) ? data : this.baseDirectory.resolve("data");
		}
		catch (IOException ex) {
			throw new ZooKeeperStartupException(
					"The embedded ZooKeeper server cannot create its data directory: %s.".formatted(ex),
					"Set interlock.zookeeper.embedded.data-dir to a directory that can be written to.", ex);
		}
	}

	/**
	 * Start a server and wait until it serves. Port zero picks a free one. Without a data
	 * directory the data is temporary.
	 */
	public static EmbeddedZooKeeper start(int port, @Nullable Path dataDirectory) {
		checkLibraries(EmbeddedZooKeeper.class.getClassLoader());
		checkPort(port);
		EmbeddedZooKeeper server = new EmbeddedZooKeeper(dataDirectory);
		try {
			server.start(port);
			return server;
		}
		catch (RuntimeException ex) {
			server.close();
			throw ex;
		}
	}

	/** Check for the libraries without which the server hangs on its start. */
	static void checkLibraries(@Nullable ClassLoader classLoader) {
		for (String className : new String[] { "com.codahale.metrics.Reservoir",
				"org.xerial.snappy.SnappyInputStream" }) {
			if (!ClassUtils.isPresent(className, classLoader)) {
				throw new ZooKeeperStartupException(
						"The embedded ZooKeeper server cannot run, because the class '%s' is missing."
							.formatted(className),
						"Add the dependencies '%s' and '%s' to the runtime class path, or remove "
							.formatted(METRICS_LIBRARY, SNAPPY_LIBRARY) + "interlock.zookeeper.embedded.enabled.",
						null);
			}
		}
	}

	/** A busy port would hang the server on its start. */
	private static void checkPort(int port) {
		try (ServerSocket socket = new ServerSocket()) {
			socket.setReuseAddress(true);
			socket.bind(new InetSocketAddress(ADDRESS, port));
		}
		catch (IOException ex) {
			throw new ZooKeeperStartupException(
					"The embedded ZooKeeper server cannot listen on port %d of %s: %s.".formatted(port, ADDRESS,
							ex.getMessage()),
					"Set interlock.zookeeper.embedded.port to another port, or to 0 for a free one. To use the ZooKeeper "
							+ "that already listens there, set interlock.zookeeper.embedded.enabled=false and "
							+ "interlock.zookeeper.connect-string=localhost:%d.".formatted(port),
					ex);
		}
	}

	@Override
	public synchronized void start() {
		Assert.state(!this.closed, "The embedded ZooKeeper server is closed. Start another one");
		if (this.server == null) {
			int port = Integer.parseInt(this.connectString.substring(this.connectString.lastIndexOf(':') + 1));
			checkPort(port);
			try {
				start(port);
			}
			catch (RuntimeException ex) {
				stop();
				throw ex;
			}
		}
	}

	private void start(int port) {
		try {
			if (!BoundedTask.run((task) -> LockThreads.WORKER.thread(this.threads, "start", task), START_TIMEOUT,
					() -> startServer(port))) {
				throw startFailure("it was not ready within %d s".formatted(START_TIMEOUT.toSeconds()), null);
			}
		}
		catch (ExecutionException ex) {
			throw startFailure(String.valueOf(ex.getCause()), ex.getCause());
		}
		logger.warn("Embedded ZooKeeper listens on %s, data in %s. It is for development, not for production".formatted(
				this.connectString,
				this.dataDirectory.startsWith(this.baseDirectory) ? "a temporary directory" : this.dataDirectory));
	}

	private void startServer(int port) throws Exception {
		Properties configuration = new Properties();
		configuration.setProperty("clientPortAddress", ADDRESS);
		configuration.setProperty("clientPort", Integer.toString(port));
		configuration.setProperty("dataDir", this.dataDirectory.toString());
		configuration.setProperty("tickTime", "2000");
		configuration.setProperty("admin.enableServer", "false");
		ZooKeeperServerEmbedded server = ZooKeeperServerEmbedded.builder()
			.baseDir(this.baseDirectory)
			.configuration(configuration)
			.exitHandler(ExitHandler.LOG_ONLY)
			.build();
		this.server = server;
		server.start(START_TIMEOUT.toMillis());
		this.connectString = server.getConnectionString();
	}

	private static ZooKeeperStartupException startFailure(String reason, @Nullable Throwable cause) {
		return new ZooKeeperStartupException("The embedded ZooKeeper server did not start: %s.".formatted(reason),
				"The log of org.apache.zookeeper has the details. Make sure that "
						+ "interlock.zookeeper.embedded.data-dir is writable and holds no damaged data.",
				cause);
	}

	@Override
	public String connectString() {
		return this.connectString;
	}

	@Override
	public boolean isRunning() {
		return this.server != null;
	}

	@Override
	public synchronized void stop() {
		ZooKeeperServerEmbedded server = this.server;
		if (server == null) {
			return;
		}
		try {
			if (!BoundedTask.run((task) -> LockThreads.WORKER.thread("stop", task), STOP_TIMEOUT, () -> stop(server))) {
				logger.warn("Embedded ZooKeeper did not stop within %d s".formatted(STOP_TIMEOUT.toSeconds()));
			}
		}
		catch (ExecutionException ex) {
			logger.warn("Failed to stop embedded ZooKeeper", ex.getCause());
		}
		finally {
			this.server = null;
		}
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		stop();
		try {
			FileSystemUtils.deleteRecursively(this.baseDirectory);
		}
		catch (IOException ex) {
			logger.warn("Failed to delete %s".formatted(this.baseDirectory), ex);
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

	/**
	 * Code that may block for longer than its caller can wait. It runs on a thread of its
	 * own, which is interrupted when the time is over.
	 */
	@FunctionalInterface
	interface BoundedTask {

		void run() throws Exception;

		/** Return whether it ended in time; if not, its interrupted thread goes on. */
		static boolean run(ThreadFactory threads, Duration timeout, BoundedTask task) throws ExecutionException {
			FutureTask<Boolean> future = new FutureTask<>(() -> {
				task.run();
				return true;
			});
			Thread thread = threads.newThread(future);
			thread.start();
			try {
				return future.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
			}
			catch (TimeoutException ex) {
				thread.interrupt();
				return false;
			}
			catch (InterruptedException ex) {
				thread.interrupt();
				Thread.currentThread().interrupt();
				return false;
			}
		}

	}

}
