package io.interlock.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds the dashboard and the alerts in the documentation against what an application
 * really exposes: every metric that they ask for, with every label.
 */
class MonitoringTests {

	private static final Pattern METRIC = Pattern.compile("interlock_[a-z_]+");

	private static final Pattern SELECTOR = Pattern.compile("(interlock_[a-z_]+)(?:\\{([^}]*)})?");

	private static final Pattern LABEL = Pattern.compile("([a-z]+)\\s*=~?");

	private static RunningBoxOffice boxOffice;

	@BeforeAll
	static void open() {
		boxOffice = RunningBoxOffice.first(List.of("--sample.settlement.interval=1h",
				"--management.metrics.distribution.percentiles-histogram.interlock.acquire=true",
				"--management.metrics.distribution.percentiles-histogram.interlock.hold=true"));
		boxOffice.client().post().uri("/demo/rush?buyers=50").exchange().expectStatus().isOk();
	}

	@AfterAll
	static void close() {
		boxOffice.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "grafana-dashboard.json", "alerts.yaml" })
	void asksForMetricsThatThereAre(String file) throws IOException {
		String queries = queries(file);
		assertThat(METRIC.matcher(queries).results()).hasSizeGreaterThan(4);
		Awaitility.await().untilAsserted(() -> {
			String scrape = scrape();
			Set<String> missing = new TreeSet<>();
			SELECTOR.matcher(queries).results().forEach((selector) -> {
				String labels = (selector.group(2) != null) ? selector.group(2) : "";
				boolean found = scrape.lines()
					.filter((line) -> line.startsWith(selector.group(1) + "{")
							|| line.startsWith(selector.group(1) + " "))
					.anyMatch((line) -> LABEL.matcher(labels)
						.results()
						.allMatch((label) -> line.contains(label.group(1) + "=\"")));
				if (!found) {
					missing.add(selector.group());
				}
			});
			assertThat(missing).isEmpty();
		});
	}

	private static String queries(String file) throws IOException {
		return Files.readAllLines(Path.of("..", "docs", "monitoring", file))
			.stream()
			.map(String::strip)
			.filter((line) -> line.startsWith("\"expr\":") || line.startsWith("expr:"))
			.map((line) -> line.replace("\\\"", "\""))
			.collect(Collectors.joining("\n"));
	}

	private static String scrape() {
		return boxOffice.client()
			.get()
			.uri("/actuator/prometheus")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody(String.class)
			.returnResult()
			.getResponseBody();
	}

}
