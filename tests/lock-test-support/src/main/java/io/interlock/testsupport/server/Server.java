package io.interlock.testsupport.server;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;

import io.interlock.testsupport.process.JavaProcess;
import io.interlock.testsupport.process.Surroundings;
import io.interlock.testsupport.proxy.Ports;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;
import org.springframework.util.FileSystemUtils;

/**
 * A ZooKeeper server in a JVM of its own: a process that comes and goes, and a directory
 * that stays. A server in this JVM would set system properties from its configuration,
 * from which clients configure themselves as well. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class Server implements AutoCloseable {

	/** System property for a directory with the jars of another release of ZooKeeper. */
	public static final String JARS = "interlock.test.server-jars";

	private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

	private static final int SHOWN_LINES = 40;

	private final int id;

	private final ServerHost host;

	private final int clientPort;

	private final Path directory;

	private final List<String> jvmOptions;

	private @Nullable JavaProcess process;

	Server(int id, ServerHost host, int clientPort, Path directory, ServerSettings settings) {
		this.id = id;
		this.host = host;
		this.clientPort = clientPort;
		this.directory = directory;
		this.jvmOptions = settings.jvmOptions();
		Properties configuration = new Properties();
		configuration.putAll(settings.configuration());
		configuration.setProperty("dataDir", data().toString());
		try {
			FileSystemUtils.deleteRecursively(data());
			Files.createDirectories(data());
			Files.writeString(data().resolve("myid"), Integer.toString(id));
			try (Writer writer = Files.newBufferedWriter(configurationFile())) {
				configuration.store(writer, null);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Start a standalone server and wait until it serves.
	 * @param directory an absolute directory for its configuration, its log and its data;
	 * data that are there are deleted
	 * @param settings how to start it
	 * @return the server
	 */
	public static Server standalone(Path directory, ServerSettings settings) {
		return standalone(ServerHost.LOOPBACK, directory, settings, "clientPort");
	}

	/**
	 * Start a standalone server that speaks TLS only, and wait until it serves. It
	 * answers no four-letter words. Clients know it as {@code localhost}, which is what
	 * its certificate has to name.
	 * @param directory an absolute directory for its configuration, its log and its data;
	 * data that are there are deleted
	 * @param settings how to start it, its key store included
	 * @return the server
	 */
	public static Server secure(Path directory, ServerSettings settings) {
		return standalone(new ServerHost("localhost", List.of()), directory, settings, "secureClientPort");
	}

	private static Server standalone(ServerHost host, Path directory, ServerSettings settings, String portProperty) {
		int port = Ports.free();
		Server server = new Server(1, host, port, directory, settings.with(
				Map.of(portProperty, Integer.toString(port), portProperty + "Address", ServerHost.LOOPBACK.address())));
		server.start();
		try {
			server.awaitService();
			return server;
		}
		catch (RuntimeException ex) {
			server.close();
			throw ex;
		}
	}

	private Path data() {
		return this.directory.resolve("data");
	}

	private Path configurationFile() {
		return this.directory.resolve("zoo.cfg");
	}

	private Path log() {
		return this.directory.resolve("server.log");
	}

	/**
	 * Start the server, unless it runs. Does not wait until it serves.
	 */
	public synchronized void start() {
		if (this.process == null) {
			this.process = JavaProcess.start(ServerMain.class, log(), this.jvmOptions,
					List.of(configurationFile().toString()),
					surroundings().withPrefix(this.host.prefix().toArray(String[]::new)));
		}
	}

	private static Surroundings surroundings() {
		Surroundings usual = Surroundings.usual();
		String jars = System.getProperty(JARS);
		if (jars == null) {
			return usual;
		}
		String others = Arrays.stream(usual.classPath().split(File.pathSeparator))
			.filter((entry) -> !Path.of(entry).getFileName().toString().startsWith("zookeeper"))
			.collect(Collectors.joining(File.pathSeparator));
		return usual.withClassPath(jars + File.separator + "*" + File.pathSeparator + others);
	}

	private synchronized void awaitService() {
		try {
			if (this.process != null) {
				this.process.await(ServerMain.SERVES, START_TIMEOUT);
			}
		}
		catch (IllegalStateException ex) {
			throw new IllegalStateException("The server does not serve: " + readLog(), ex);
		}
	}

	/** Return whether the server runs, and the end of its log. */
	String diagnosis() {
		List<String> lines = readLog().lines().toList();
		return "Server %d %s. The end of its log:\n%s".formatted(this.id, isRunning() ? "runs" : "does not run",
				String.join("\n", lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size())));
	}

	private synchronized boolean isRunning() {
		return this.process != null && this.process.isAlive();
	}

	private String readLog() {
		try {
			return Files.readString(log());
		}
		catch (IOException ex) {
			return "it has no log";
		}
	}

	/**
	 * Kill the server. What it has on disk stays.
	 */
	public synchronized void kill() {
		JavaProcess running = this.process;
		this.process = null;
		if (running != null) {
			running.close();
		}
	}

	/**
	 * Stop the process of the server until it is resumed.
	 */
	public synchronized void stop() {
		if (this.process != null) {
			this.process.stop();
		}
	}

	/**
	 * Let the process of the server go on.
	 */
	public synchronized void resume() {
		if (this.process != null) {
			this.process.resume();
		}
	}

	/**
	 * Return the number of the process.
	 * @return its id in the operating system
	 * @throws IllegalStateException if the server does not run
	 */
	public synchronized long pid() {
		Assert.state(this.process != null, "The server does not run");
		return this.process.pid();
	}

	/**
	 * Return the number of the server in its ensemble.
	 * @return the id, from 1 on
	 */
	public int id() {
		return this.id;
	}

	/**
	 * Return where clients connect.
	 * @return a port on the loopback interface
	 */
	public int clientPort() {
		return this.clientPort;
	}

	/**
	 * Return where clients connect.
	 * @return host and port
	 */
	public String connectString() {
		return this.host.address() + ":" + this.clientPort;
	}

	/**
	 * Return whether the server leads its ensemble.
	 * @return {@code false} also if it does not answer
	 */
	public boolean isLeader() {
		return ask("srvr").contains("Mode: leader");
	}

	/**
	 * Return whether the server answers requests of clients.
	 * @return {@code false} also while it looks for a leader
	 */
	public boolean serves() {
		return ask("srvr").contains("Mode: ");
	}

	/**
	 * Return the watches that the server keeps, by session.
	 * @return the answer to {@code wchc}
	 */
	public String watches() {
		return ask("wchc");
	}

	private String ask(String word) {
		return FourLetterWord.ask(new InetSocketAddress(this.host.address(), this.clientPort), word);
	}

	/**
	 * Return one of the numbers that {@code mntr} tells.
	 * @param name its name, {@code zk_znode_count} for instance
	 * @return the number
	 * @throws IllegalStateException if the server does not tell it
	 */
	public long monitored(String name) {
		return ask("mntr").lines()
			.map((line) -> line.split("\t"))
			.filter((line) -> line.length == 2 && line[0].equals(name))
			.mapToLong((line) -> (long) Double.parseDouble(line[1]))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("The server does not tell " + name));
	}

	/**
	 * Kill the server and delete its data. Its configuration and its log stay.
	 */
	@Override
	public void close() {
		kill();
		try {
			FileSystemUtils.deleteRecursively(data());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
