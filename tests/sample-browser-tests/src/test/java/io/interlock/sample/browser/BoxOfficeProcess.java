package io.interlock.sample.browser;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.interlock.testsupport.proxy.Ports;

import static org.awaitility.Awaitility.await;

/**
 * A box office in a process of its own, on ports that no other test takes, started as a
 * visitor starts it: from its jar.
 */
final class BoxOfficeProcess implements AutoCloseable {

	private static final HttpClient HTTP = HttpClient.newHttpClient();

	private static final Duration START_TIMEOUT = Duration.ofMinutes(10);

	/** Longer than any thread stalls. */
	private static final Duration STALL_TIMEOUT = Duration.ofMinutes(2);

	private final Process process;

	private final int port;

	private final List<Class<?>> added;

	private final List<String> joinArguments;

	private BoxOfficeProcess(int port, List<Class<?>> added, List<String> arguments, List<String> joinArguments) {
		this.port = port;
		this.added = added;
		this.joinArguments = joinArguments;
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m",
						"-XX:TieredStopAtLevel=1"));
		// ZooKeeper writes there, and a busy disk would hold it up for seconds.
		command.add("-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"));
		command.addAll(launcher(added));
		command.addAll(List.of("--server.port=" + port, "--interlock.default-wait-time=60s",
				"--interlock.zookeeper.operator-timeout=10s", "--sample.settlement.interval=1h"));
		command.addAll(arguments);
		try {
			this.process = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(Path.of("target", "box-office-" + port + ".log").toFile())
				.start();
		}
		catch (IOException ex) {
			throw new IllegalStateException("The box office could not be started", ex);
		}
		try {
			await().atMost(START_TIMEOUT).until(this::isOpen);
		}
		catch (RuntimeException ex) {
			close();
			throw ex;
		}
	}

	private static List<String> launcher(List<Class<?>> added) {
		String jar = System.getProperty("sample.jar");
		if (added.isEmpty()) {
			return List.of("-jar", jar);
		}
		String path = added.stream().map(BoxOfficeProcess::locationOf).collect(Collectors.joining(","));
		return List.of("-Dloader.path=" + path, "-cp", jar,
				"org.springframework.boot.loader.launch.PropertiesLauncher");
	}

	private static String locationOf(Class<?> type) {
		try {
			return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
		}
		catch (URISyntaxException ex) {
			throw new IllegalStateException(ex);
		}
	}

	static BoxOfficeProcess first(String... arguments) {
		return first(List.of(), arguments);
	}

	/**
	 * Start a box office whose class path has more than its jar. Its scan finds the beans
	 * of this package then.
	 * @param added classes, with which it gets all that lies beside them
	 * @param arguments the arguments
	 */
	static BoxOfficeProcess first(List<Class<?>> added, String... arguments) {
		int database = Ports.free();
		int zooKeeper = Ports.free();
		List<String> all = new ArrayList<>(List.of(arguments));
		all.addAll(List.of("--sample.database.port=" + database, "--interlock.zookeeper.embedded.port=" + zooKeeper));
		List<String> join = new ArrayList<>(List.of(arguments));
		join.addAll(List.of("--spring.profiles.active=join", "--sample.database.port=" + database,
				"--interlock.zookeeper.connect-string=localhost:" + zooKeeper));
		return new BoxOfficeProcess(Ports.free(), added, all, join);
	}

	BoxOfficeProcess joined() {
		return new BoxOfficeProcess(Ports.free(), this.added, this.joinArguments, this.joinArguments);
	}

	private boolean isOpen() {
		if (!this.process.isAlive()) {
			throw new IllegalStateException(
					"The box office did not start: see target/box-office-%d.log".formatted(this.port));
		}
		try {
			HttpRequest request = HttpRequest.newBuilder(URI.create(url() + "/instances")).build();
			return HTTP.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
		}
		catch (IOException ex) {
			return false;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Let a thread of this instance hold a lock, as soon as one of the few is free.
	 * @param name name of the lock
	 * @param key key of the lock
	 * @param seconds for how long
	 */
	void hold(String name, String key, int seconds) {
		String body = "{\"instance\":\"%s\",\"name\":\"%s\",\"key\":\"%s\",\"seconds\":%d}".formatted(name(), name, key,
				seconds);
		HttpRequest request = HttpRequest.newBuilder(URI.create(url() + "/demo/holds"))
			.header("Content-Type", "application/json")
			.POST(HttpRequest.BodyPublishers.ofString(body))
			.build();
		await().atMost(STALL_TIMEOUT)
			.until(() -> HTTP.sendAsync(request, HttpResponse.BodyHandlers.discarding()).join().statusCode(),
					(status) -> status == 202);
	}

	String name() {
		return "localhost:" + this.port;
	}

	/**
	 * Return a pattern of the name that locks and views have for this instance.
	 */
	String instance() {
		return "box-office@\\S+:" + this.process.pid();
	}

	String url() {
		return "http://" + name();
	}

	@Override
	public void close() {
		this.process.destroy();
		try {
			if (!this.process.waitFor(20, TimeUnit.SECONDS)) {
				this.process.destroyForcibly();
			}
		}
		catch (InterruptedException ex) {
			this.process.destroyForcibly();
			Thread.currentThread().interrupt();
		}
	}

}
