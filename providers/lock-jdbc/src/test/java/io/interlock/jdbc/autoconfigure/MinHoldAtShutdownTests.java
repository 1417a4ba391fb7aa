package io.interlock.jdbc.autoconfigure;

import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;

import io.interlock.LockRequest;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.postgres.PostgresServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A job whose lock has a minimum hold time, and an instance that stops after its run.
 */
@ExtendWith(OutputCaptureExtension.class)
class MinHoldAtShutdownTests {

	private static final String LEFT = "Locks that stay held after this instance has stopped: 1, report until ";

	private static final LockRequest REPORT = LockRequest.exclusive("report").withWaitTime(Duration.ZERO);

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(JdbcLockAutoConfiguration.class, InterlockAutoConfiguration.class,
				DataSourceAutoConfiguration.class))
		.withPropertyValues("interlock.provider=jdbc", "interlock.jdbc.initialize-schema=always");

	private static void runJob(ApplicationContextRunner instance) {
		instance.run((context) -> context.getBean(LockTemplate.class)
			.executeWithoutResult(REPORT.withMinHold(Duration.ofMinutes(15)),
					(lock) -> assertThat(lock.isLost()).isFalse()));
	}

	private static void assertThatJobRuns(ApplicationContextRunner instance, boolean runs) {
		instance.run((context) -> assertThat(context.getBean(LockTemplate.class).tryAcquire(REPORT).map((lock) -> {
			lock.close();
			return true;
		}).isPresent()).isEqualTo(runs));
	}

	private void assertThatStopLeavesTheLock(ApplicationContextRunner instance) {
		runJob(instance);
		assertThatJobRuns(instance, false);
	}

	@Test
	void stopLeavesTheLockInAFile(@TempDir Path directory, CapturedOutput output) {
		assertThatStopLeavesTheLock(this.contextRunner
			.withPropertyValues("spring.datasource.url=jdbc:h2:file:" + directory.resolve("shop")));
		assertThat(output).containsOnlyOnce(LEFT);
	}

	@Test
	void stopLeavesTheLockInPostgres(CapturedOutput output) {
		try (PostgresServer server = PostgresServer.start()) {
			assertThatStopLeavesTheLock(this.contextRunner.withPropertyValues("spring.datasource.url=" + server.url(),
					"spring.datasource.username=postgres"));
			assertThat(output).containsOnlyOnce(LEFT);
		}
	}

	@Test
	void stopReleasesTheLockIfItIsTold(CapturedOutput output) {
		ApplicationContextRunner instance = this.contextRunner.withPropertyValues(
				"spring.datasource.url=jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()),
				"interlock.min-hold-at-shutdown=release");
		runJob(instance);
		assertThatJobRuns(instance, true);
		assertThat(output).doesNotContain("stay held");
	}

}
