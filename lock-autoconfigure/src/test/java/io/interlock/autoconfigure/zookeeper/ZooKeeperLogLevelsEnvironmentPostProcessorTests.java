package io.interlock.autoconfigure.zookeeper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.interlock.testsupport.process.JavaProcess;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.tier.Deep;
import io.interlock.zookeeper.internal.engine.LocalServer;
import io.interlock.zookeeper.internal.engine.SharedServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.env.DefaultPropertiesPropertySource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what an application logs because it has the starter.
 */
@ExtendWith(SharedServer.class)
class ZooKeeperLogLevelsEnvironmentPostProcessorTests {

	private static final Duration START = Duration.ofSeconds(60);

	@TempDir
	private Path directory;

	private final LocalServer server;

	private TcpProxy proxy;

	ZooKeeperLogLevelsEnvironmentPostProcessorTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void connect() throws IOException {
		Files.writeString(this.directory.resolve("logback.xml"), """
				<configuration>
					<include resource="org/springframework/boot/logging/logback/base.xml"/>
				</configuration>""");
		this.proxy = TcpProxy.to(this.server.port());
	}

	@AfterEach
	void disconnect() {
		this.proxy.close();
	}

	@Test
	void startAndShortOutageTakeAtMostFiveLinesEach() {
		try (JavaProcess application = start("30s")) {
			application.await("LockHandle", START);
			List<String> start = lines();
			assertThat(start).hasSizeBetween(1, 5).anyMatch((line) -> line.contains(this.proxy.connectString()));
			this.proxy.refuse();
			awaitLine(start.size(), "is interrupted");
			this.proxy.heal();
			awaitLine(start.size(), "is back after");
			assertThat(linesFrom(start.size())).hasSizeBetween(2, 5)
				.anyMatch((line) -> line.contains("WARN") && line.contains(this.proxy.connectString())
						&& line.contains("is interrupted"));
		}
	}

	@Test
	@Deep
	void outageThatEndsTheSessionTakesAtMostFiveLines() {
		try (JavaProcess application = start("6s")) {
			application.await("LockHandle", START);
			int before = lines().size();
			this.proxy.refuse();
			await().during(Duration.ofSeconds(9)).atMost(START).until(() -> true);
			this.proxy.heal();
			awaitLine(before, "Lost lock held");
			awaitLine(before, "is back after");
			assertThat(linesFrom(before)).hasSizeBetween(2, 5)
				.anyMatch((line) -> line.contains("WARN") && line.contains(this.proxy.connectString())
						&& line.contains("is interrupted"))
				.anyMatch((line) -> line.contains("Lost lock held"));
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	@Deep
	void startWithoutAServerSaysSoInTheLog(boolean ensembleTracker) {
		assertThat(linesOfStartWithoutAServer(Boolean.toString(ensembleTracker))).hasSizeLessThanOrEqualTo(5);
	}

	private List<String> linesOfStartWithoutAServer(String ensembleTracker) {
		this.proxy.refuse();
		try (JavaProcess application = start("6s", "--interlock.zookeeper.ensemble-tracker=" + ensembleTracker)) {
			application.await(LoggingApplication.STARTED, START);
			await().atMost(START)
				.until(() -> lines().stream()
					.anyMatch((line) -> line.contains("WARN") && line.contains("cannot be reached")));
			await("the connection timeout, after which Curator complains").during(Duration.ofSeconds(9))
				.atMost(START)
				.until(() -> true);
			this.proxy.heal();
			application.await("LockHandle", START);
			return lines();
		}
	}

	@Test
	void levelsOfTheApplicationWin() {
		assertThat(levels(Map.of())).containsExactly("error", "off", "error", "off");
		assertThat(levels(Map.of("logging.level.org.apache.zookeeper", "debug"))).containsExactly("debug", null,
				"error", "off");
		assertThat(levels(Map.of("logging.level.org.apache.curator.framework", "info"))).containsExactly("error", "off",
				"error", null);
	}

	private static List<String> levels(Map<String, Object> ofApplication) {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources().addLast(new MapPropertySource("defaultProperties", ofApplication));
		new ZooKeeperLogLevelsEnvironmentPostProcessor().postProcessEnvironment(environment, new SpringApplication());
		new CuratorLogLevelsEnvironmentPostProcessor().postProcessEnvironment(environment, new SpringApplication());
		DefaultPropertiesPropertySource.moveToEnd(environment);
		return Stream
			.of("org.apache.zookeeper", "org.apache.zookeeper.client.StaticHostProvider", "org.apache.curator",
					"org.apache.curator.framework.imps.CuratorFrameworkImpl")
			.map((logger) -> environment.getProperty("logging.level." + logger))
			.toList();
	}

	private JavaProcess start(String timeout, String... arguments) {
		List<String> all = new ArrayList<>(List.of(arguments));
		all.addAll(List.of("--interlock.zookeeper.connect-string=" + this.proxy.connectString(),
				"--interlock.zookeeper.session-timeout=" + timeout,
				"--interlock.zookeeper.connection-timeout=" + timeout, "--spring.main.banner-mode=off",
				"--spring.docker.compose.enabled=false", "--logging.config=" + this.directory.resolve("logback.xml"),
				"--logging.pattern.file=%logger %level %msg%n",
				"--logging.file.name=" + this.directory.resolve("log")));
		return JavaProcess.start(LoggingApplication.class, null, JavaProcess.quickStart("128m"), all);
	}

	private void awaitLine(int first, String text) {
		await().atMost(START).until(() -> linesFrom(first).stream().anyMatch((line) -> line.contains(text)));
	}

	private List<String> linesFrom(int first) {
		List<String> lines = lines();
		return lines.subList(first, lines.size());
	}

	/**
	 * Return what was logged, without the lines of Spring.
	 */
	private List<String> lines() {
		try {
			return Files.readAllLines(this.directory.resolve("log"))
				.stream()
				.filter((line) -> !line.startsWith("org.springframework.")
						&& !line.startsWith(LoggingApplication.class.getName()))
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
