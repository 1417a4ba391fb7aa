package io.interlock.jdbc.autoconfigure;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.UUID;

import javax.sql.DataSource;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.provider.LockProvider;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.postgres.PostgresServer;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for a database beside another store.
 */
@ExtendWith(OutputCaptureExtension.class)
@SuppressWarnings("try")
class JdbcNamedProviderTests {

	private static final LockRequest ORDERS = LockRequest.exclusive("orders").withWaitTime(Duration.ZERO);

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(JdbcLockAutoConfiguration.class, InterlockAutoConfiguration.class))
		.withPropertyValues("interlock.providers.billing.provider=jdbc");

	@Test
	void locksAreKeptInMemoryAndInPostgres() {
		try (PostgresServer server = PostgresServer.start()) {
			this.contextRunner.withUserConfiguration(BillingDatabase.class)
				.withPropertyValues("test.url=" + server.url(), "interlock.provider=memory",
						"interlock.providers.billing.bean=billingDatabase",
						"interlock.providers.billing.initialize-schema=always",
						"interlock.providers.billing.table-prefix=bill_", "interlock.startup-timeout=30s")
				.run((context) -> {
					LockTemplate template = context.getBean(LockTemplate.class);
					LockRequest billed = ORDERS.withProvider("billing");
					try (LockHandle held = template.acquire(ORDERS); LockHandle other = template.acquire(billed)) {
						assertThat(owners(server.url())).isEqualTo(1);
						Background.run(() -> assertThat(template.tryAcquire(billed)).isEmpty());
						Background.run(() -> assertThat(template.tryAcquire(ORDERS)).isEmpty());
					}
					assertThat(context.getBeanProvider(LockProvider.class).getObject())
						.isSameAs(context.getBean("inMemoryLockProvider"));
				});
		}
	}

	@Test
	void beanOfTheDatabaseIsRequired() {
		this.contextRunner.withPropertyValues("interlock.provider=memory", "interlock.providers.billing.bean=missing")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (failure) -> {
					assertThat(failure.getName()).isEqualTo("interlock.providers.billing.bean");
					assertThat(failure.getReason()).contains("DataSource");
				}));
	}

	@Test
	void onlyDatabaseIsUsed(CapturedOutput output) {
		this.contextRunner.withBean("billingDatabase", DataSource.class, JdbcNamedProviderTests::embedded)
			.withPropertyValues("interlock.provider=memory", "interlock.startup-timeout=30s")
			.run((context) -> context.getBean(LockTemplate.class).acquire(ORDERS.withProvider("billing")).close());
		assertThat(output).contains("Locks of provider 'billing' are kept in H2 at 'jdbc:h2:mem:");
	}

	@Test
	void oneOfSeveralDatabasesIsToBeNamed() {
		this.contextRunner.withBean("billingDatabase", DataSource.class, JdbcNamedProviderTests::embedded)
			.withBean("auditDatabase", DataSource.class, JdbcNamedProviderTests::embedded)
			.withPropertyValues("interlock.provider=memory")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (failure) -> {
					assertThat(failure.getName()).isEqualTo("interlock.providers.billing.bean");
					assertThat(failure.getReason()).contains("DataSource", "[auditDatabase, billingDatabase]");
				}));
	}

	private static DataSource embedded() {
		return new DriverManagerDataSource("jdbc:h2:mem:named-" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
	}

	private static int owners(String url) throws Exception {
		try (Connection connection = DriverManager.getConnection(url, "postgres", "");
				ResultSet rows = connection.createStatement()
					.executeQuery("SELECT count(*) FROM bill_lock WHERE lock_name = 'orders'")) {
			rows.next();
			return rows.getInt(1);
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class BillingDatabase {

		@Bean
		DataSource billingDatabase(Environment environment) {
			return new DriverManagerDataSource(environment.getRequiredProperty("test.url"), "postgres", "");
		}

	}

}
