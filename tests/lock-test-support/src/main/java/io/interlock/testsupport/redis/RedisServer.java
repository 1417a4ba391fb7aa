package io.interlock.testsupport.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
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
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

import org.springframework.util.FileSystemUtils;

/**
 * A Redis server of the package of the operating system, in a temporary directory and on
 * the loopback interface. It ends with this JVM.
 *
 * @since 0.1.0
 */
public final class RedisServer implements AutoCloseable {

	private static final Path PROGRAMS = Path.of("/usr/bin");

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private static final Set<Process> STARTED = ConcurrentHashMap.newKeySet();

	static {
		Runtime.getRuntime().addShutdownHook(new Thread(() -> STARTED.forEach(Process::destroyForcibly)));
	}

	private final Path directory;

	private final int port;

	private final List<String> options;

	private final Map<String, String> environment;

	private @Nullable Process process;

	private RedisServer(Path directory, List<String> options, Map<String, String> environment) {
		this.directory = directory;
		this.port = Ports.free();
		this.options = options;
		this.environment = environment;
	}

	/**
	 * Return whether the package is installed.
	 * @return {@code true} if a server can be started
	 */
	public static boolean isInstalled() {
		return Files.isExecutable(PROGRAMS.resolve("redis-server"));
	}

	/**
	 * Return what is installed.
	 * @return name and version
	 */
	public static String version() {
		// Redis server v=7.0.15 sha=...
		String answer = output(List.of(PROGRAMS.resolve("redis-server").toString(), "--version")).get(0);
		return answer.replaceFirst("^Redis server v=(\\S+).*$", "Redis $1");
	}

	/**
	 * Start a server that keeps its data in memory only, or skip the test where none is
	 * installed.
	 * @param options options of the server, such as {@code --appendonly yes}
	 * @return the server, which answers
	 * @throws IllegalStateException if it ends instead, with what it has printed
	 */
	public static RedisServer start(String... options) {
		return start(Map.of(), options);
	}

	/**
	 * Start a server as {@link #start(String...)} does.
	 * @param environment what the server has in its environment besides
	 * @param options options of the server
	 * @return the server, which answers
	 */
	public static RedisServer start(Map<String, String> environment, String... options) {
		return start("", environment, options);
	}

	/**
	 * Start a Sentinel, which promotes a replica of a master that has been away for a
	 * second.
	 * @param name name of the master for clients
	 * @param master the master, to which its replicas are connected
	 * @return the Sentinel, which knows these replicas
	 */
	public static RedisServer sentinel(String name, RedisServer master) {
		String configuration = """
				sentinel monitor %1$s 127.0.0.1 %2$d 1
				sentinel down-after-milliseconds %1$s 1000
				sentinel failover-timeout %1$s 3000
				""".formatted(name, master.port());
		RedisServer sentinel = start(configuration, Map.of(), "--sentinel");
		Awaitility.await().atMost(TIMEOUT).until(() -> !sentinel.command("SENTINEL", "REPLICAS", name).isEmpty());
		return sentinel;
	}

	private static RedisServer start(String configuration, Map<String, String> environment, String... options) {
		if (!isInstalled()) {
			Assumptions.abort("Skipped: redis-server is not installed in " + PROGRAMS);
		}
		try {
			RedisServer server = new RedisServer(Files.createTempDirectory("interlock-redis"), List.of(options),
					environment);
			Files.writeString(server.configurationFile(), configuration);
			server.restart();
			return server;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Start the server again, with the data that it has written to its directory.
	 */
	public void restart() {
		List<String> command = new ArrayList<>(List.of(PROGRAMS.resolve("redis-server").toString(),
				configurationFile().toString(), "--port", Integer.toString(this.port), "--bind", "127.0.0.1", "--save",
				"", "--dir", this.directory.toString()));
		command.addAll(this.options);
		Path log = this.directory.resolve("log");
		try {
			ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(Redirect.appendTo(log.toFile()));
			builder.environment().putAll(this.environment);
			Process process = builder.start();
			STARTED.add(process);
			this.process = process;
			Awaitility.await()
				.atMost(TIMEOUT)
				.until(() -> !process.isAlive() || command("PING").equals(List.of("PONG")));
			if (!process.isAlive()) {
				throw new IllegalStateException("The server has ended: " + Files.readString(log));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** A Sentinel writes what it knows into it. */
	private Path configurationFile() {
		return this.directory.resolve("redis.conf");
	}

	/**
	 * {@return the port on the loopback interface}
	 */
	public int port() {
		return this.port;
	}

	/**
	 * {@return the number of the process that was started last}
	 */
	public long pid() {
		return running().pid();
	}

	/**
	 * Run a command with {@code redis-cli}.
	 * @param words the command
	 * @return the lines of the answer, or of the error
	 */
	public List<String> command(String... words) {
		List<String> command = new ArrayList<>(
				List.of(PROGRAMS.resolve("redis-cli").toString(), "-p", Integer.toString(this.port)));
		command.addAll(List.of(words));
		return output(command);
	}

	private static List<String> output(List<String> command) {
		try {
			Process client = new ProcessBuilder(command).redirectErrorStream(true).start();
			String output = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			client.waitFor();
			return output.lines().filter((line) -> !line.isEmpty()).toList();
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
	 * End the server at once: SIGKILL.
	 */
	public void kill() {
		Process process = this.process;
		if (process != null) {
			process.destroyForcibly();
			try {
				process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			STARTED.remove(process);
		}
	}

	/**
	 * Stop the server until it is resumed: SIGSTOP. Its connections stay. It does nothing
	 * any more when this returns.
	 */
	public void pause() {
		Signals.stop(running());
	}

	/**
	 * Let the server go on: SIGCONT.
	 */
	public void resume() {
		Signals.resume(running());
	}

	private ProcessHandle running() {
		Process process = this.process;
		if (process == null) {
			throw new IllegalStateException("The server was not started");
		}
		return process.toHandle();
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
