package io.interlock.jdbc.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.jdbc.JdbcLeaseStore;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.postgres.PostgresServer;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.DatabasePopulatorUtils;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The first try of an instance, whose connection to PostgreSQL takes longer than a try.
 */
class PostgresFirstTryTests {

	@Test
	void theFirstTryWaitsForItsConnection() {
		try (PostgresServer server = PostgresServer.start();
				TcpProxy line = TcpProxy.to(Integer.parseInt(server.url().replaceFirst("^.*:(\\d+)/.*$", "$1")))) {
			DatabasePopulatorUtils.execute(
					new ResourceDatabasePopulator(new ClassPathResource("schema-postgresql.sql", JdbcLeaseStore.class)),
					new DriverManagerDataSource(server.url(), "postgres", ""));
			line.blackHole();
			new ApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(JdbcLockAutoConfiguration.class,
						InterlockAutoConfiguration.class, DataSourceAutoConfiguration.class))
				.withPropertyValues("interlock.provider=jdbc", "interlock.jdbc.initialize-schema=never",
						"interlock.try-timeout=100ms", "spring.datasource.username=postgres",
						"spring.datasource.url=jdbc:postgresql://%s/postgres".formatted(line.connectString()))
				.run((context) -> {
					LockTemplate template = context.getBean(LockTemplate.class);
					HeldLocks heldLocks = context.getBean(HeldLocks.class);
					Background<Optional<LockHandle>> job = Background
						.start(() -> template.tryAcquire(LockRequest.exclusive("report")));
					await().until(() -> !job.isRunning() || heldLocks.waiting()
						.stream()
						.anyMatch((each) -> each.since().isBefore(Instant.now().minus(Duration.ofMillis(1200)))));
					line.heal();
					assertThat(job.join()).isPresent();
				});
		}
	}

}
