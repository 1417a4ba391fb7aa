package io.interlock.faults.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.interlock.testsupport.postgres.PostgresServer;
import io.interlock.testsupport.redis.RedisServer;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many lines a minute an application logs through the outages of each store. A line
 * of a stack is a line.
 */
class LogLinesTests {

	private static final int MOST_IN_A_MINUTE = 10;

	private static final LoggedRun.Pace SHORT = new LoggedRun.Pace(Duration.ofSeconds(7), Duration.ofMillis(200),
			Duration.ofSeconds(6));

	@TempDir
	private Path directory;

	/** As many calls as in half a minute, in a few seconds. */
	@Test
	@EnabledIf("areStoresInstalled")
	void fewLinesInAShortOutage() throws Exception {
		logFewLines(SHORT);
	}

	@Test
	@Deep
	@EnabledIf("areStoresInstalled")
	void fewLinesInFourMinutes() throws Exception {
		logFewLines(new LoggedRun.Pace(Duration.ofMinutes(4), Duration.ofSeconds(1), Duration.ofSeconds(15)));
	}

	@Test
	void fewLinesAtAStartWithoutARedisCluster() throws Exception {
		try (LoggedStore cluster = LoggedStore.missingRedisCluster()) {
			assertThat(new LoggedRun(cluster, SHORT, logs(cluster)).linesOfStart()).hasSizeBetween(1, MOST_IN_A_MINUTE)
				.noneMatch((line) -> line.startsWith("\tat "))
				.anyMatch((line) -> line.matches("io\\.interlock\\S* WARN .*"));
		}
	}

	static boolean areStoresInstalled() {
		return PostgresServer.isInstalled() && RedisServer.isInstalled();
	}

	private void logFewLines(LoggedRun.Pace pace) throws Exception {
		Map<String, Map<LoggedRun.Phase, List<String>>> lines = new LinkedHashMap<>();
		try (LoggedStore zooKeeper = LoggedStore.zooKeeper(Files.createDirectory(this.directory.resolve("server")));
				LoggedStore postgres = LoggedStore.postgres();
				LoggedStore redis = LoggedStore.redis()) {
			Map<String, Future<Map<LoggedRun.Phase, List<String>>>> runs = new LinkedHashMap<>();
			ExecutorService threads = Executors.newCachedThreadPool();
			for (LoggedStore store : List.of(zooKeeper, postgres, redis)) {
				LoggedRun run = new LoggedRun(store, pace, logs(store));
				runs.put(store.name(), threads.submit(run::lines));
			}
			threads.shutdown();
			for (Map.Entry<String, Future<Map<LoggedRun.Phase, List<String>>>> run : runs.entrySet()) {
				lines.put(run.getKey(), run.getValue().get());
			}
		}
		System.out.println(table(lines, pace));
		lines.forEach((store, phases) -> phases.forEach((phase, logged) -> {
			double minutes = Math.max(1, pace.phase().toSeconds() / 60.0);
			assertThat(logged).as("%s, %s", store, phase)
				.hasSizeLessThanOrEqualTo((int) (MOST_IN_A_MINUTE * minutes))
				.noneMatch((line) -> line.startsWith("\tat "));
		}));
		for (LoggedRun.Phase outage : List.of(LoggedRun.Phase.DOWN_AT_THE_START, LoggedRun.Phase.DOWN)) {
			lines.forEach((store, phases) -> assertThat(phases.get(outage)).as("%s, %s", store, outage)
				.anyMatch((line) -> line.matches("io\\.interlock\\S* WARN .*")));
		}
	}

	private static Path logs(LoggedStore store) throws IOException {
		Path directory = Path.of("target", "log-lines", store.name()).toAbsolutePath();
		FileSystemUtils.deleteRecursively(directory);
		return Files.createDirectories(directory);
	}

	private static String table(Map<String, Map<LoggedRun.Phase, List<String>>> lines, LoggedRun.Pace pace) {
		List<String> heads = new ArrayList<>(List.of("Lines in phases of " + pace.phase().toSeconds() + " s"));
		List.of(LoggedRun.Phase.values()).forEach((phase) -> heads.add(phase.text()));
		StringBuilder table = new StringBuilder(
				"| %s |%n|%s%n".formatted(String.join(" | ", heads), "---|".repeat(heads.size())));
		lines.forEach((store, phases) -> {
			table.append("| ").append(store);
			phases.values().forEach((logged) -> table.append(" | ").append(logged.size()));
			table.append(" |\n");
		});
		return table.toString();
	}

}
