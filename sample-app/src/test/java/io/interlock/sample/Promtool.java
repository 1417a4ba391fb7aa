package io.interlock.sample;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Prometheus' own tool, which evaluates the alerts of the pages on what an application
 * exposed.
 */
final class Promtool {

	private Promtool() {
	}

	/** Skip the test where the tool is not installed, unless it is required. */
	static void assume() {
		boolean available = isAvailable();
		if (!available && System.getProperty("interlock.promtool", "optional").equals("required")) {
			throw new IllegalStateException(
					"There is no promtool, but interlock.promtool=required: install it (Debian's "
							+ "package prometheus has it), or leave the property out");
		}
		if (!available) {
			System.out.println("SKIPPED: there is no promtool (Debian's package prometheus has it)");
		}
		assumeTrue(available, "There is no promtool");
	}

	private static boolean isAvailable() {
		try {
			return new ProcessBuilder("promtool", "--version").redirectErrorStream(true).start().waitFor() == 0;
		}
		catch (IOException ex) {
			return false;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	/** Check what a timeline expects of the alerts. */
	static void test(Timeline timeline, Path directory) throws Exception {
		test(Files.writeString(directory.resolve("test.yaml"),
				timeline.test(MonitoringFile.path("alerts.yaml").toString())));
	}

	/** Run a test of rules. */
	static void test(Path test) throws Exception {
		Process promtool = new ProcessBuilder("promtool", "test", "rules", test.toString()).redirectErrorStream(true)
			.start();
		String output = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(promtool.waitFor()).as(output).isZero();
	}

}
