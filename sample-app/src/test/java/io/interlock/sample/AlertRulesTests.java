package io.interlock.sample;

import java.io.IOException;
import java.nio.file.Files;

import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the alerts on samples that are written down, by Prometheus' own tool.
 * {@link AlertsTests} has those of a running application.
 */
class AlertRulesTests {

	private static final String TESTS = "alerts-test.yaml";

	@Test
	void everyAlertIsTested() throws IOException {
		String tests = Files.readString(MonitoringFile.path(TESTS));
		assertThat(MonitoringFile.values(MonitoringFile.load("alerts.yaml"), "alert")).isNotEmpty()
			.allMatch(tests::contains);
	}

	@Test
	@Deep
	void alertsFireWhereTheirTestsSaySo() throws Exception {
		Promtool.assume();
		Promtool.test(MonitoringFile.path(TESTS));
	}

}
