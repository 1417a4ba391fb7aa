package io.interlock.sample;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What an application exposed, scrape after scrape, as the input of a test of Prometheus
 * rules. One scrape stands for {@value #STEP_SECONDS} seconds, however short the time
 * between two of them really was: shares and states stay what they were, and minutes pass
 * in a second.
 */
final class Timeline {

	static final String JOB = "box-office";

	/** An application with the same locks to which nothing happens. */
	static final String OTHER_JOB = "other";

	private static final int STEP_SECONDS = 15;

	private static final Pattern SAMPLE = Pattern.compile("^(interlock_\\w+)(?:\\{(.*)})? (\\S+)$", Pattern.MULTILINE);

	private final RunningBoxOffice application;

	private final List<Map<String, String>> scrapes = new ArrayList<>();

	private final List<String> expectations = new ArrayList<>();

	private int calm;

	Timeline(RunningBoxOffice application) {
		this.application = application;
	}

	/** Scrape the application. */
	void scrape() {
		Map<String, String> samples = new LinkedHashMap<>();
		Matcher matcher = SAMPLE.matcher(this.application.scrape());
		while (matcher.find()) {
			String labels = (matcher.group(2) != null) ? matcher.group(2) + "," : "";
			samples.put(matcher.group(1) + "{" + labels, number(matcher.group(3)));
		}
		this.scrapes.add(samples);
	}

	void scrape(int times) {
		IntStream.range(0, times).forEach((i) -> scrape());
	}

	/** Expect that nothing fires now. The other application stays as it is now. */
	void expectNothing() {
		this.calm = this.scrapes.size() - 1;
		expectSamples("ALERTS{alertstate=\"firing\"}", "[]");
	}

	/** Expect that an alert fires now, for the one application. */
	void expect(String alert) {
		expectSamples("max by (alertname, job) (ALERTS{alertstate=\"firing\", alertname=\"%s\"})".formatted(alert),
				"[{labels: '{alertname=\"%s\", job=\"%s\"}', value: 1}]".formatted(alert, JOB));
	}

	/** Expect samples of an expression now, as promtool takes them. */
	void expectSamples(String expression, String samples) {
		this.expectations.add("""
				      - expr: '%s'
				        eval_time: %ds
				        exp_samples: %s
				""".formatted(expression, (this.scrapes.size() - 1) * STEP_SECONDS, samples));
	}

	/** Return the test as promtool takes it. */
	String test(String rules) {
		String series = this.scrapes.stream()
			.flatMap((scrape) -> scrape.keySet().stream())
			.distinct()
			.map(this::series)
			.collect(Collectors.joining());
		return """
				rule_files: ['%s']
				evaluation_interval: %ds
				tests:
				  - interval: %ds
				    input_series:
				%s    promql_expr_test:
				%s""".formatted(rules, STEP_SECONDS, STEP_SECONDS, series, String.join("", this.expectations));
	}

	private String series(String name) {
		String values = this.scrapes.stream()
			.map((scrape) -> scrape.getOrDefault(name, "_"))
			.collect(Collectors.joining(" "));
		String calmValue = this.scrapes.get(this.calm).getOrDefault(name, "_");
		return line(name, JOB, values)
				+ line(name, OTHER_JOB, (calmValue + " ").repeat(this.scrapes.size()).stripTrailing());
	}

	private static String line(String name, String job, String values) {
		return "      - {series: '%sjob=\"%s\",instance=\"%s:8080\"}', values: '%s'}%n".formatted(name, job, job,
				values);
	}

	private static String number(String value) {
		return value.equals("NaN") ? "_" : new BigDecimal(value).toPlainString();
	}

}
