package io.interlock.autoconfigure.curator;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/**
 * A ZooKeeper server in a JVM of its own. One in the JVM of the tests would set system
 * properties from its configuration, from which clients configure themselves as well, so
 * that tests of clients would pass that configure nothing.
 */
final class ServerProcess implements AutoCloseable {

	private final Process process;

	private final int port;

	private ServerProcess(Process process, int port) {
		this.process = process;
		this.port = port;
	}

	/**
	 * Start a server and wait until it serves.
	 * @param directory where it keeps its files
	 * @param portProperty name of the property that gets a port
	 * @param configuration the rest of its configuration
	 * @param jvmOptions options of its JVM
	 * @return the server
	 */
	static ServerProcess start(Path directory, String portProperty, Map<String, String> configuration,
			String... jvmOptions) throws IOException {
		int port = freePort();
		Properties properties = new Properties();
		properties.putAll(configuration);
		properties.putAll(Map.of("dataDir", Files.createDirectories(directory.resolve("data")).toString(), "tickTime",
				"500", "admin.enableServer", "false", portProperty, Integer.toString(port), portProperty + "Address",
				"127.0.0.1"));
		Path file = directory.resolve("zoo.properties");
		try (Writer writer = Files.newBufferedWriter(file)) {
			properties.store(writer, null);
		}
		ServerProcess server = new ServerProcess(launch(directory, file, jvmOptions), port);
		try {
			server.awaitService(directory);
			return server;
		}
		catch (IOException | RuntimeException ex) {
			server.close();
			throw ex;
		}
	}

	private static Process launch(Path directory, Path configuration, String... jvmOptions) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m",
						"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dzookeeper.forceSync=no"));
		command.addAll(List.of(jvmOptions));
		command.addAll(List.of("-cp", classPath(), ServerMain.class.getName(), configuration.toString()));
		return new ProcessBuilder(command).redirectError(directory.resolve("errors.log").toFile()).start();
	}

	private static String classPath() {
		return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
	}

	private void awaitService(Path directory) throws IOException {
		BufferedReader output = this.process.inputReader();
		List<String> lines = new ArrayList<>();
		for (String line = output.readLine(); line != null; line = output.readLine()) {
			lines.add(line);
			if (line.equals(ServerMain.SERVES)) {
				Thread drain = new Thread(() -> output.lines().forEach((ignored) -> {
				}));
				drain.setDaemon(true);
				drain.start();
				return;
			}
		}
		throw new IllegalStateException("The server ended: " + String.join("\n", lines) + "\n"
				+ Files.readString(directory.resolve("errors.log")));
	}

	String connectString() {
		return "localhost:" + this.port;
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
	}

	@Override
	public void close() {
		this.process.destroyForcibly().onExit().orTimeout(10, TimeUnit.SECONDS).join();
	}

}
