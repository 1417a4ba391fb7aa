package io.interlock.sample;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Evaluates the queries of the dashboard on what an application with two providers
 * exposes, by Prometheus' own tool.
 */
class DashboardTests {

	private static final String DEFAULT_PROVIDER = "()";

	private final Map<?, ?> dashboard = (Map<?, ?>) MonitoringFile.load("grafana-dashboard.json");

	DashboardTests() throws IOException {
	}

	/** Grafana applies the expression to each sample as text. */
	@Test
	void variableOfTheProviderHasANameAndAMatcher() {
		String expression = String.valueOf(provider().get("regex"));
		Pattern pattern = Pattern.compile(expression.substring(1, expression.length() - 1));
		assertThat(List.of("{matcher=\"()\",provider=\"default\"} 1 1795868400000",
				"{matcher=\"billing\",provider=\"billing\"} 1 1795868400000"))
			.extracting((sample) -> {
				Matcher matcher = pattern.matcher(sample);
				assertThat(matcher.find()).isTrue();
				return matcher.group("text") + " " + matcher.group("value");
			})
			.containsExactly("default " + DEFAULT_PROVIDER, "billing billing");
	}

	@Test
	@Deep
	void panelsShowTheProviderThatIsChosen(@TempDir Path directory) throws Exception {
		Promtool.assume();
		try (RunningBoxOffice application = RunningBoxOffice.first(
				List.of(Jobs.BILLING, "--management.metrics.distribution.percentiles-histogram.interlock.acquire=true",
						"--management.metrics.distribution.percentiles-histogram.interlock.hold=true"),
				Jobs.class, Jobs.OfBilling.class)) {
			RushReply.of(application.client(), 1, 50);
			Jobs.runAll(application);
			Jobs.OfBilling.runAll(application);
			Timeline timeline = new Timeline(application);
			timeline.scrape(3);
			expectProviders(timeline);
			List.of(DEFAULT_PROVIDER, "billing").forEach((provider) -> expectPanels(timeline, provider));
			Promtool.test(timeline, directory);
		}
	}

	private void expectProviders(Timeline timeline) {
		Matcher query = Pattern.compile("query_result\\((.*)\\)")
			.matcher(String.valueOf(((Map<?, ?>) provider().get("query")).get("query")));
		assertThat(query.matches()).isTrue();
		timeline.expectSamples(withVariables(query.group(1), ""), """
				[{labels: '{matcher="()", provider="default"}', value: 1}, \
				{labels: '{matcher="billing", provider="billing"}', value: 1}]""");
	}

	private void expectPanels(Timeline timeline, String provider) {
		List<String> queries = MonitoringFile.values(this.dashboard.get("panels"), "expr")
			.filter((query) -> query.contains("${provider:pipe}"))
			.toList();
		assertThat(queries).hasSizeGreaterThan(15);
		queries
			.forEach((query) -> timeline.expectSamples("count(%s) > bool 0".formatted(withVariables(query, provider)),
					"[{labels: '{}', value: 1}]"));
	}

	private static String withVariables(String query, String provider) {
		return query.replace("$job", Timeline.JOB)
			.replace("${provider:pipe}", provider)
			.replace("$name", ".*")
			.replace("$__rate_interval", "1m")
			.replace("$__range", "1m");
	}

	private Map<?, ?> provider() {
		return ((List<?>) ((Map<?, ?>) this.dashboard.get("templating")).get("list")).stream()
			.map((variable) -> (Map<?, ?>) variable)
			.filter((variable) -> variable.get("name").equals("provider"))
			.findFirst()
			.orElseThrow();
	}

}
