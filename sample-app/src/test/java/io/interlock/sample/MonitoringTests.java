package io.interlock.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.interlock.testsupport.proxy.TcpProxy;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds the dashboard and the alerts in the documentation against what an application
 * really exposes: every metric that they ask for, with every label.
 */
class MonitoringTests {

	private static final Pattern METRIC = Pattern.compile("interlock_[a-z_]+");

	private static final Pattern SELECTOR = Pattern.compile("(interlock_[a-z_]+)(?:\\{([^}]*)})?");

	private static final Pattern LABEL = Pattern.compile("([a-z]+)\\s*=~?");

	private static final String RUNBOOK = "https://github.com/interlock-locks/interlock/blob/main/docs/operations.md#";

	/** Labels that Prometheus adds, by the configuration of the scrape. */
	private static final Set<String> OF_THE_SCRAPE = Set.of("job", "instance");

	/** The words that a text for each store has. */
	private static final String[] STORES = { "ZooKeeper", "database", "Redis" };

	private static RunningBoxOffice boxOffice;

	@BeforeAll
	static void open() {
		boxOffice = RunningBoxOffice
			.first(List.of("--sample.settlement.interval=1h", "--spring.main.cloud-platform=kubernetes",
					"--management.endpoint.health.group.readiness.include=readinessState,zookeeper",
					"--management.metrics.distribution.percentiles-histogram.interlock.acquire=true",
					"--management.metrics.distribution.percentiles-histogram.interlock.hold=true"));
		RushReply.of(boxOffice.client(), 1, 50);
	}

	@AfterAll
	static void close() {
		boxOffice.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "grafana-dashboard.json", "alerts.yaml" })
	void asksForMetricsThatThereAre(String file) throws IOException {
		asksForMetricsThatThereAre(boxOffice, queries(file));
	}

	private static void asksForMetricsThatThereAre(RunningBoxOffice application, String queries) {
		assertThat(METRIC.matcher(queries).results()).hasSizeGreaterThan(4);
		Awaitility.await().untilAsserted(() -> {
			String scrape = application.scrape();
			Set<String> missing = new TreeSet<>();
			SELECTOR.matcher(queries).results().forEach((selector) -> {
				String labels = (selector.group(2) != null) ? selector.group(2) : "";
				boolean found = scrape.lines()
					.filter((line) -> line.startsWith(selector.group(1) + "{")
							|| line.startsWith(selector.group(1) + " "))
					.anyMatch((line) -> LABEL.matcher(labels)
						.results()
						.filter((label) -> !OF_THE_SCRAPE.contains(label.group(1)))
						.allMatch((label) -> line.contains(label.group(1) + "=\"")));
				if (!found) {
					missing.add(selector.group());
				}
			});
			assertThat(missing).isEmpty();
		});
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ZOOKEEPER")
	void asksOtherStoresForMetricsThatThereAre(LockStore store, @TempDir Path directory) throws IOException {
		try (LockStore.Running server = store.start(directory);
				TcpProxy line = TcpProxy.to(server.port());
				RunningBoxOffice other = store.open(line, Duration.ofSeconds(15))) {
			RushReply.of(other.client(), 1, 50);
			asksForMetricsThatThereAre(other, queries("alerts.yaml"));
			asksForMetricsThatThereAre(other,
					queries("grafana-dashboard.json").replaceAll("interlock_[a-z_]+_bucket\\{[^}]*}", ""));
		}
	}

	@Test
	void everyAlertHasARunbookThatSaysWhatToDoOnEachStore() throws IOException {
		Map<String, String> sections = sections(Path.of("..", "docs", "operations.md"));
		List<String> alerts = values(load("alerts.yaml"), "alert").toList();
		List<String> runbooks = values(load("alerts.yaml"), "runbook_url").toList();
		assertThat(alerts).hasSizeGreaterThan(4);
		assertThat(runbooks).hasSameSizeAs(alerts).allSatisfy((url) -> {
			assertThat(url).startsWith(RUNBOOK);
			assertThat(sections).containsKey(url.substring(RUNBOOK.length()));
			assertThat(sections.get(url.substring(RUNBOOK.length()))).as(url).contains(STORES);
		});
	}

	@Test
	void noAlertAndNoPanelOfLocksIsForOneStoreOnly() throws IOException {
		Stream<String> actions = Stream.of("summary", "action").flatMap((field) -> {
			try {
				return values(load("alerts.yaml"), field);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		});
		Stream<String> panels = panelsOfLocks(load("grafana-dashboard.json"));
		assertThat(Stream.concat(actions, panels)).hasSizeGreaterThan(20)
			.filteredOn((text) -> Stream.of(STORES).anyMatch(text::contains))
			.allSatisfy((text) -> assertThat(text).contains(STORES));
	}

	private static Stream<String> panelsOfLocks(Object dashboard) {
		return ((List<?>) ((Map<?, ?>) dashboard).get("panels")).stream()
			.filter((panel) -> values(panel, "expr").anyMatch((query) -> query.contains("interlock_")))
			.flatMap((panel) -> Stream.concat(values(panel, "title"), values(panel, "description")));
	}

	/** Return the text below each heading, by its anchor. */
	private static Map<String, String> sections(Path page) throws IOException {
		Map<String, String> sections = new LinkedHashMap<>();
		String anchor = "";
		for (String line : Files.readAllLines(page)) {
			if (line.startsWith("#")) {
				anchor = line.replaceAll("^#+ ", "")
					.toLowerCase(Locale.ROOT)
					.replaceAll("[^a-z0-9 -]", "")
					.replace(' ', '-');
			}
			else {
				sections.merge(anchor, line, (before, next) -> before + "\n" + next);
			}
		}
		return sections;
	}

	@Test
	void everyQueryTellsApplicationsApart() throws IOException {
		assertThat(values(load("grafana-dashboard.json"), "expr")).filteredOn((query) -> query.contains("interlock_"))
			.isNotEmpty()
			.allSatisfy((query) -> assertThat(METRIC.matcher(query).results().count())
				.isEqualTo(Pattern.compile("interlock_[a-z_]+\\{job=~\"\\$job\"").matcher(query).results().count()));
		assertThat(values(load("alerts.yaml"), "expr"))
			.allSatisfy((query) -> assertThat(query).contains(" by (job, ").doesNotContain("by (name", "by (instance"));
	}

	@Test
	void probesOfTheKubernetesManifestAnswer() throws IOException {
		Path manifest = Path.of("..", "deploy", "kubernetes", "interlock.yaml");
		List<String> paths = new ArrayList<>();
		new Yaml().loadAll(Files.readString(manifest))
			.forEach((document) -> values(document, "path").filter((path) -> path.startsWith("/")).forEach(paths::add));
		assertThat(paths).hasSize(3);
		assertThat(Files.readString(manifest)).contains("value: readinessState,zookeeper");
		assertThat(paths).allSatisfy((path) -> boxOffice.client()
			.get()
			.uri(path)
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("$.status")
			.isEqualTo("UP"));
		boxOffice.client()
			.get()
			.uri("/actuator/health/readiness")
			.exchange()
			.expectBody()
			.jsonPath("$.components.zookeeper.status")
			.isEqualTo("UP");
	}

	private static String queries(String file) throws IOException {
		return values(load(file), "expr").collect(Collectors.joining("\n"));
	}

	private static Object load(String file) throws IOException {
		// JSON is YAML
		return new Yaml().load(Files.readString(Path.of("..", "docs", "monitoring", file)));
	}

	private static Stream<String> values(Object node, String field) {
		if (node instanceof Map<?, ?> map) {
			return map.entrySet()
				.stream()
				.flatMap((entry) -> (entry.getKey().equals(field) && entry.getValue() instanceof String text)
						? Stream.of(text) : values(entry.getValue(), field));
		}
		return (node instanceof List<?> list) ? list.stream().flatMap((item) -> values(item, field)) : Stream.empty();
	}

}
