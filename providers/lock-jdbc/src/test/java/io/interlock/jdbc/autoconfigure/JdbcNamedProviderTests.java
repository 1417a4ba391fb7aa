package io.interlock.jdbc.autoconfigure;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.UUID;

import javax.sql.DataSource;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.actuate.endpoint.LocksAdminEndpointWebExtension;
import io.interlock.actuate.endpoint.LocksEndpoint;
import io.interlock.admin.LockContender;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.LockHealthContributorAutoConfiguration;
import io.interlock.autoconfigure.LockMetricsAutoConfiguration;
import io.interlock.autoconfigure.LocksEndpointAutoConfiguration;
import io.interlock.health.LeaseHealthIndicator;
import io.interlock.provider.LockProvider;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.postgres.PostgresServer;
import io.interlock.testsupport.thread.Background;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Status;
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
						.isSameAs(context.getBean("interlockInMemoryLockProvider"));
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
	void wrongPropertyIsNamedWhereItStands() {
		this.contextRunner.withBean("billingDatabase", DataSource.class, JdbcNamedProviderTests::embedded)
			.withPropertyValues("interlock.provider=memory", "interlock.providers.billing.lease=5ms")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class,
						(failure) -> assertThat(failure.getName()).isEqualTo("interlock.providers.billing.lease")));
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

	@Test
	void namedProviderIsWholeForOperatorsAtAnyInstance() {
		DataSource database = embedded();
		ApplicationContextRunner instance = this.contextRunner
			.withConfiguration(AutoConfigurations.of(LocksEndpointAutoConfiguration.class,
					LockHealthContributorAutoConfiguration.class, LockMetricsAutoConfiguration.class))
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withBean("billingDatabase", DataSource.class, () -> database)
			.withPropertyValues("interlock.provider=memory", "interlock.startup-timeout=30s",
					"management.endpoints.web.exposure.include=locks", "interlock.admin.enabled=true");
		instance.run((holder) -> instance.run((other) -> {
			LockHandle byDefault = holder.getBean(LockTemplate.class).acquire(ORDERS);
			LockHandle held = holder.getBean(LockTemplate.class).acquire(ORDERS.withProvider("billing"));
			LocksAdminEndpointWebExtension operators = other.getBean(LocksAdminEndpointWebExtension.class);
			assertThat(operators.locks("cluster", null, null, "billing", "true", null, null, null).getBody())
				.isInstanceOfSatisfying(LocksEndpoint.ClusterLocksDescriptor.class,
						(page) -> assertThat(page.locks()).singleElement()
							.satisfies((lock) -> assertThat(lock.holders()).extracting(LockContender::token)
								.containsExactly(held.fencingToken())));
			assertThat(operators
				.release(SecurityContext.NONE, new String[] { "cluster", "orders" }, null, null, null, "billing",
						Long.toString(held.fencingToken()))
				.getStatus()).isEqualTo(200);
			other.getBean(LockTemplate.class).acquire(ORDERS.withProvider("billing")).close();
			assertThat(byDefault.isValid()).isTrue();
			held.close();
			byDefault.close();
			assertThat(other.getBean("interlockProvidersHealthContributor", CompositeHealthContributor.class).stream())
				.singleElement()
				.satisfies((each) -> {
					assertThat(each.name()).isEqualTo("billing");
					assertThat(each.contributor()).isInstanceOfSatisfying(LeaseHealthIndicator.class,
							(indicator) -> assertThat(indicator.health().getStatus()).isEqualTo(Status.UP));
				});
			MeterRegistry registry = other.getBean(MeterRegistry.class);
			other.getBeansOfType(MeterBinder.class).values().forEach((binder) -> binder.bindTo(registry));
			assertThat(registry.get("interlock.connection")
				.tags("state", "connected", "provider", "billing")
				.gauge()
				.value()).isEqualTo(1);
			assertThat(registry.get("interlock.hold").tag("provider", "billing").timer().count()).isEqualTo(1);
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
