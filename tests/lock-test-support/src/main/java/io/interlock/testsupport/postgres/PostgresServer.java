package io.interlock.testsupport.postgres;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.interlock.testsupport.process.Signals;
import io.interlock.testsupport.proxy.Ports;
import org.junit.jupiter.api.Assumptions;

import org.springframework.util.FileSystemUtils;

/**
 * A PostgreSQL server of the package of the operating system, in a directory of its own
 * and on the loopback interface. It refuses to run as root, and runs as the user
 * {@code postgres} then. It ends with this JVM.
 *
 * @since 0.1.0
 */
public final class PostgresServer implements AutoCloseable {

	private static final Path PROGRAMS = Path.of("/usr/lib/postgresql/15/bin");

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private static final Set<PostgresServer> STARTED = ConcurrentHashMap.newKeySet();

	static {
		Runtime.getRuntime().addShutdownHook(new Thread(() -> STARTED.forEach(PostgresServer::close)));
	}

	private final Path directory;

	private final int port;

	private final Map<String, String> environment;

	private PostgresServer(Path directory, int port, Map<String, String> environment) {
		this.directory = directory;
		this.port = port;
		this.environment = environment;
	}

	/**
	 * Return whether the package is installed.
	 * @return {@code true} if a server can be started
	 */
	public static boolean isInstalled() {
		return Files.isExecutable(PROGRAMS.resolve("postgres"));
	}

	/**
	 * Return what is installed.
	 * @return name and version
	 */
	public static String version() {
		// postgres (PostgreSQL) 15.18 (Debian ...)
		String answer = run(List.of(PROGRAMS.resolve("postgres").toString(), "--version")).strip();
		return answer.replaceFirst("^.*\\(PostgreSQL\\) (\\S+).*$", "PostgreSQL $1");
	}

	/**
	 * Start a server in a temporary directory, or skip the test where none is installed.
	 * @return the server, which answers
	 */
	public static PostgresServer start() {
		return start(Map.of());
	}

	/**
	 * Start a server in a temporary directory, or skip the test where none is installed.
	 * @param environment what its processes have in their environment besides; the user
	 * {@code postgres} must be able to read the files that it names
	 * @return the server, which answers
	 */
	public static PostgresServer start(Map<String, String> environment) {
		if (!isInstalled()) {
			Assumptions.abort("Skipped: PostgreSQL 15 is not installed in " + PROGRAMS);
		}
		try {
			return startIn(Files.createTempDirectory("interlock-postgres"), environment);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Start a server whose data lie on a disk of the caller's choice. Directories of
	 * temporary files may lie in memory.
	 * @param parent directory in which log and data are kept until the server is closed;
	 * the user {@code postgres} must be able to enter it
	 * @return the server, which answers
	 */
	public static PostgresServer start(Path parent) {
		try {
			Files.createDirectories(parent);
			return startIn(Files.createTempDirectory(parent.toAbsolutePath(), "postgres"), Map.of());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static PostgresServer startIn(Path directory, Map<String, String> environment) {
		if (isRoot()) {
			run(List.of("chown", "postgres", directory.toString()));
		}
		PostgresServer server = new PostgresServer(directory, Ports.free(), environment);
		server.program("initdb", "--pgdata=" + server.data(), "--username=postgres", "--auth=trust", "--no-sync",
				"--encoding=UTF8", "--locale=C");
		server.restart();
		return server;
	}

	private static boolean isRoot() {
		return System.getProperty("user.name").equals("root");
	}

	private Path data() {
		return this.directory.resolve("data");
	}

	/**
	 * Return where clients connect, as the user {@code postgres} without a password.
	 * @return the URL of the database, for JDBC
	 */
	public String url() {
		return "jdbc:postgresql://127.0.0.1:%d/postgres?connectTimeout=1".formatted(this.port);
	}

	/**
	 * Start the server again, with the data that it had.
	 */
	public void restart() {
		STARTED.add(this);
		program("pg_ctl", "start", "--pgdata=" + data(), "--wait", "--timeout=50", "--log=" + this.directory + "/log",
				"--options=-p %d -c listen_addresses=127.0.0.1 -c unix_socket_directories=%s -c max_connections=200"
					.formatted(this.port, this.directory));
	}

	/**
	 * Stop the server without telling its clients first, as a crash does.
	 */
	public void stop() {
		program("pg_ctl", "stop", "--pgdata=" + data(), "--mode=immediate", "--wait");
		STARTED.remove(this);
	}

	/**
	 * Stop all processes of the server until they are resumed: SIGSTOP. Its connections
	 * stay. None of them does anything any more when this returns.
	 */
	public void pause() {
		ProcessHandle first = firstProcess();
		// It starts no more children from then on.
		Signals.stop(first);
		first.children().forEach(Signals::stop);
	}

	/**
	 * Let the processes of the server go on: SIGCONT.
	 */
	public void resume() {
		// Children that have ended stay until the first process goes on.
		ProcessHandle first = firstProcess();
		first.children().forEach(Signals::resume);
		Signals.resume(first);
	}

	private ProcessHandle firstProcess() {
		try {
			String pid = Files.readAllLines(data().resolve("postmaster.pid")).get(0).strip();
			return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void program(String name, String... arguments) {
		List<String> command = new ArrayList<>();
		if (isRoot()) {
			command.addAll(List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"));
		}
		// Only now: what it preloads has to belong to the same user.
		command.add("env");
		this.environment.forEach((key, value) -> command.add(key + "=" + value));
		command.add(PROGRAMS.resolve(name).toString());
		command.addAll(List.of(arguments));
		run(command);
	}

	/**
	 * Run a program. Its output goes to a file, because a server that it starts keeps a
	 * pipe open.
	 */
	private static String run(List<String> command) {
		try {
			Path output = Files.createTempFile("interlock-postgres", ".out");
			try {
				Process process = new ProcessBuilder(command).directory(new File("/"))
					.redirectErrorStream(true)
					.redirectOutput(output.toFile())
					.start();
				boolean ended = process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
				String said = Files.readString(output, StandardCharsets.UTF_8);
				if (!ended || process.exitValue() != 0) {
					process.destroyForcibly();
					throw new IllegalStateException("%s %s: %s".formatted(command,
							ended ? "failed" : "did not end within " + TIMEOUT, said.strip()));
				}
				return said;
			}
			finally {
				Files.delete(output);
			}
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
	 * Stop the server, if it runs, and delete its data.
	 */
	@Override
	public void close() {
		if (STARTED.contains(this)) {
			stop();
		}
		try {
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
