package io.interlock.testsupport.mariadb;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.interlock.testsupport.proxy.Ports;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

import org.springframework.util.FileSystemUtils;

/**
 * A MariaDB server of the package of the operating system, in a temporary directory and
 * on the loopback interface, which lets every user in. Its zone has a summer time. It
 * ends with this JVM.
 *
 * @since 0.1.0
 */
public final class MariaDbServer implements AutoCloseable {

	/**
	 * The zone of the server.
	 */
	public static final String ZONE = "Europe/Berlin";

	private static final Path SERVER = Path.of("/usr/sbin/mariadbd");

	private static final Path INSTALLATION = Path.of("/usr/bin/mariadb-install-db");

	private static final Duration TIMEOUT = Duration.ofMinutes(3);

	private static final Set<Process> STARTED = ConcurrentHashMap.newKeySet();

	static {
		Runtime.getRuntime().addShutdownHook(new Thread(() -> STARTED.forEach(Process::destroyForcibly)));
	}

	private final Path directory;

	private final int port;

	private @Nullable Process process;

	private MariaDbServer(Path directory, int port) {
		this.directory = directory;
		this.port = port;
	}

	/**
	 * Start a server, or skip the test where none is installed.
	 * @return the server, which answers
	 */
	public static MariaDbServer start() {
		if (!Files.isExecutable(SERVER)) {
			Assumptions.abort("Skipped: MariaDB is not installed as " + SERVER);
		}
		try {
			MariaDbServer server = new MariaDbServer(Files.createTempDirectory("interlock-mariadb"), Ports.free());
			Process installation = server.launch(INSTALLATION, "--skip-test-db");
			if (!installation.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS) || installation.exitValue() != 0) {
				installation.destroyForcibly();
				throw new IllegalStateException("It failed, or did not end: " + Files.readString(server.log()));
			}
			server.restart();
			return server;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Return where clients connect, as any user without a password.
	 * @return the URL of the database, for JDBC
	 */
	public String url() {
		return "jdbc:mariadb://127.0.0.1:%d/locks?createDatabaseIfNotExist=true&connectTimeout=1000"
			.formatted(this.port);
	}

	/**
	 * Start the server again, with the data that it had.
	 */
	public void restart() {
		try {
			Process process = launch(SERVER, "--port=" + this.port, "--bind-address=127.0.0.1", "--skip-grant-tables",
					"--socket=" + this.directory.resolve("socket"), "--pid-file=" + this.directory.resolve("pid"));
			STARTED.add(process);
			this.process = process;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Awaitility.await().atMost(TIMEOUT).ignoreExceptions().until(() -> {
			try (Connection connection = DriverManager.getConnection(url())) {
				return connection.isValid(1);
			}
		});
	}

	/**
	 * End the server at once: SIGKILL.
	 */
	public void kill() {
		Process process = this.process;
		if (process != null) {
			process.destroyForcibly();
			process.onExit().join();
			STARTED.remove(process);
		}
	}

	private Process launch(Path program, String... options) throws IOException {
		List<String> command = new ArrayList<>(List.of(program.toString(), "--no-defaults",
				"--datadir=" + this.directory.resolve("data"), "--user=" + System.getProperty("user.name")));
		command.addAll(List.of(options));
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(Redirect.appendTo(log().toFile()));
		builder.environment().put("TZ", ZONE);
		return builder.start();
	}

	private Path log() {
		return this.directory.resolve("log");
	}

	@Override
	public void close() {
		kill();
		try {
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
