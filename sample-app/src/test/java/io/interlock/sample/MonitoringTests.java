package io.interlock.sample;

import java.io.IOException;
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
import java.util.function.Supplier;
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

import static io.interlock.sample.MonitoringFile.load;
import static io.interlock.sample.MonitoringFile.queries;
import static io.interlock.sample.MonitoringFile.values;
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

	/**
	 * Labels that Prometheus adds, by the configuration of the scrape, and the one that
	 * the default provider has not.
	 */
	private static final Set<String> NOT_EXPOSED = Set.of("job", "instance", "provider");

	/** Meters that do not tell providers apart. */
	private static final String OF_ALL_PROVIDERS = "interlock_admin_[a-z_]+";

	/** The words that a text for each store has. */
	private static final String[] STORES = { "ZooKeeper", "database", "Redis" };

	private static RunningBoxOffice boxOffice;

	@BeforeAll
	static void open() {
		boxOffice = RunningBoxOffice.first(
				List.of("--sample.settlement.interval=1h", "--spring.main.cloud-platform=kubernetes",
						"--management.endpoint.health.group.readiness.include=readinessState,zookeeper",
						"--management.metrics.distribution.percentiles-histogram.interlock.acquire=true",
						"--management.metrics.distribution.percentiles-histogram.interlock.hold=true", Jobs.BILLING),
				Jobs.class, Jobs.OfBilling.class);
		RushReply.of(boxOffice.client(), 1, 50);
		Jobs.runAll(boxOffice);
		Jobs.OfBilling.runAll(boxOffice);
	}

	@AfterAll
	static void close() {
		boxOffice.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "grafana-dashboard.json", "alerts.yaml" })
	void asksForMetricsThatThereAre(String file) throws IOException {
		asksForMetricsThatThereAre(() -> ofTheDefaultProvider(boxOffice), queries(file));
	}

	@ParameterizedTest
	@ValueSource(strings = { "grafana-dashboard.json", "alerts.yaml" })
	void asksForMetricsThatANamedProviderHas(String file) throws IOException {
		asksForMetricsThatThereAre(() -> linesOf(boxOffice).filter((line) -> line.contains("provider=\"billing\""))
			.collect(Collectors.joining("\n")), queries(file).replaceAll(OF_ALL_PROVIDERS, ""));
	}

	private static String ofTheDefaultProvider(RunningBoxOffice application) {
		return linesOf(application).filter((line) -> !line.contains("provider=\"")).collect(Collectors.joining("\n"));
	}

	private static Stream<String> linesOf(RunningBoxOffice application) {
		return application.scrape().lines();
	}

	private static void asksForMetricsThatThereAre(Supplier<String> scrapes, String queries) {
		assertThat(METRIC.matcher(queries).results()).hasSizeGreaterThan(4);
		Awaitility.await().untilAsserted(() -> {
			String scrape = scrapes.get();
			Set<String> missing = new TreeSet<>();
			SELECTOR.matcher(queries).results().forEach((selector) -> {
				String labels = (selector.group(2) != null) ? selector.group(2) : "";
				boolean found = scrape.lines()
					.filter((line) -> line.startsWith(selector.group(1) + "{")
							|| line.startsWith(selector.group(1) + " "))
					.anyMatch((line) -> LABEL.matcher(labels)
						.results()
						.filter((label) -> !NOT_EXPOSED.contains(label.group(1)))
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
				RunningBoxOffice other = store.open(line, Duration.ofSeconds(15), Jobs.class)) {
			RushReply.of(other.client(), 1, 50);
			Jobs.runAll(other);
			asksForMetricsThatThereAre(other::scrape, queries("alerts.yaml"));
			asksForMetricsThatThereAre(other::scrape,
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
		Object alerts = load("alerts.yaml");
		Stream<String> actions = Stream.of("summary", "action").flatMap((field) -> values(alerts, field));
		Stream<String> panels = panelsOfLocks(load("grafana-dashboard.json"));
		assertThat(Stream.concat(actions, panels)).hasSizeGreaterThan(20)
			.filteredOn((text) -> Stream.of(STORES).anyMatch(text::contains))
			.allSatisfy((text) -> assertThat(text).contains(STORES));
	}

	@ParameterizedTest
	@ValueSource(strings = { "grafana-dashboard.json", "alerts.yaml" })
	void asksForEveryMeterThatIsWorthAnAlarm(String file) throws IOException {
		String queries = queries(file);
		assertThat(Files.readAllLines(Path.of("..", "docs", "operations.md")))
			.filteredOn((line) -> line.startsWith("| `interlock.") && line.contains("Worth an alarm"))
			.hasSizeGreaterThan(1)
			.extracting((line) -> line.split("`")[1].replace('.', '_'))
			.allSatisfy((meter) -> assertThat(queries).contains(meter));
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
	void everyQueryTellsProvidersApart() throws IOException {
		assertThat(values(load("grafana-dashboard.json"), "expr")).filteredOn((query) -> query.contains("interlock_"))
			.filteredOn((query) -> !query.matches(".*" + OF_ALL_PROVIDERS + ".*"))
			.isNotEmpty()
			.allSatisfy((query) -> assertThat(
					query.replaceAll("interlock_[a-z_]+\\{[^}]*provider=~\"\\$\\{provider:pipe}\"", ""))
				.doesNotContain("interlock_"));
		assertThat(values(load("alerts.yaml"), "expr"))
			.allSatisfy((query) -> assertThat(query.replaceAll(" by \\(job, (instance, )?provider\\b", ""))
				.doesNotContain(" by ("));
	}

	@Test
	void probesOfTheKubernetesManifestAnswer() throws IOException {
		Path manifest = Path.of("..", "deploy", "kubernetes", "interlock.yaml");
		List<String> paths = new ArrayList<>();
		new Yaml().loadAll(Files.readString(manifest)).forEach((document) -> {
			if (values(document, "kind").anyMatch("Deployment"::equals)) {
				values(document, "path").filter((path) -> path.startsWith("/")).forEach(paths::add);
			}
		});
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

}
