package io.interlock.page.store;

import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.LockHealthContributorAutoConfiguration;
import io.interlock.health.LeaseHealthIndicator;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A store of one's own is whole, although no file outside its module names it.
 */
@ExtendWith(OutputCaptureExtension.class)
@SuppressWarnings("try")
class MapLockStoreFactoryTests {

	private static final LockRequest ORDERS = LockRequest.exclusive("orders").withWaitTime(Duration.ZERO);

	private final AtomicReference<ConfigurableApplicationContext> context = new AtomicReference<>();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withClassLoader(new URLClassLoader(new URL[] { MapLockStoreFactoryTests.class.getResource("") },
				MapLockStoreFactoryTests.class.getClassLoader()))
		.withInitializer(this.context::set)
		.withConfiguration(
				AutoConfigurations.of(InterlockAutoConfiguration.class, LockHealthContributorAutoConfiguration.class))
		.withPropertyValues("interlock.startup-timeout=30s", "interlock.admin.enabled=true");

	private final ApplicationContextRunner chosen = this.runner.withPropertyValues("interlock.provider=map");

	private final ApplicationContextRunner named = this.runner.withPropertyValues("interlock.provider=memory",
			"interlock.providers.billing.provider=map");

	@ParameterizedTest
	@ValueSource(strings = { "map", "MAP" })
	void isChosenByItsName(String name, CapturedOutput output) {
		this.runner.withPropertyValues("interlock.provider=" + name).run((context) -> {
			assertThat(context).hasSingleBean(LeaseLockProvider.class);
			LockTemplate template = context.getBean(LockTemplate.class);
			try (LockHandle held = template.acquire(ORDERS)) {
				Background.run(() -> assertThat(template.tryAcquire(ORDERS)).isEmpty());
			}
			assertThat(context.getBean(LeaseHealthIndicator.class).health().getStatus()).isEqualTo(Status.UP);
		});
		assertThat(output)
			.containsOnlyOnce("Locks are kept in MapLeaseStore at 'unknown' (locks). Supported: exclusive, surviving");
	}

	@Test
	void isANamedProvider(CapturedOutput output) {
		this.named.run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			LockRequest billed = ORDERS.withProvider("billing");
			try (LockHandle held = template.acquire(billed)) {
				Background.run(() -> assertThat(template.tryAcquire(billed)).isEmpty());
				Background.run(() -> template.acquire(ORDERS).close());
			}
			CompositeHealthContributor health = context.getBean(CompositeHealthContributor.class);
			assertThat(health.stream()).singleElement().satisfies((each) -> {
				assertThat(each.name()).isEqualTo("billing");
				assertThat(each.contributor()).isInstanceOfSatisfying(HealthIndicator.class,
						(indicator) -> assertThat(indicator.health().getStatus()).isEqualTo(Status.UP));
			});
		});
		assertThat(output).containsOnlyOnce("Locks of provider 'billing' are kept in MapLeaseStore at 'unknown'");
	}

	@ParameterizedTest
	@CsvSource({ "map, interlock.map.leese, interlock.map.lease",
			"map, interlock.map.poll-intervall, interlock.map.poll-interval",
			"memory, interlock.map.leese, interlock.map.lease", "map, interlock.mapp.lease, interlock.map.lease" })
	void misspelledPropertyHasANearestOne(String provider, String property, String nearest) {
		this.runner.withPropertyValues("interlock.provider=" + provider, property + "=5s").run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = analysis(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("Property: " + property);
			assertThat(analysis.getAction()).contains("Did you mean " + nearest + "?");
		});
	}

	@Test
	void misspelledPropertyOfANamedProviderHasANearestOne() {
		this.named.withPropertyValues("interlock.providers.billing.leese=5s").run((context) -> {
			assertThat(context).hasFailed();
			assertThat(analysis(context.getStartupFailure()).getAction())
				.contains("Did you mean interlock.providers.billing.lease?");
		});
	}

	@Test
	void durationWithoutAUnitIsRefused() {
		this.chosen.withPropertyValues("interlock.map.lease=5")
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining("interlock.map.lease"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "interlock.provider", "interlock.providers.billing.provider" })
	void isAmongTheStoresThatAMisspelledOneMayMean(String property) {
		this.chosen.withPropertyValues(property + "=mpa").run((context) -> {
			assertThat(context).hasFailed();
			assertThat(analysis(context.getStartupFailure()).getAction())
				.isEqualTo("Did you mean map? Set %s to one of zookeeper, jdbc, redis, map, memory, none.", property);
		});
	}

	@Test
	void isOneOfSeveralStores() {
		this.runner.run((context) -> {
			assertThat(context).hasFailed();
			assertThat(analysis(context.getStartupFailure()).getDescription()).contains("zookeeper, jdbc, redis, map");
		});
	}

	private FailureAnalysis analysis(Throwable failure) {
		ConfigurableApplicationContext context = this.context.get();
		return SpringFactoriesLoader.forDefaultResourceLocation(context.getClassLoader())
			.load(FailureAnalyzer.class,
					ArgumentResolver.of(BeanFactory.class, context.getBeanFactory())
						.and(Environment.class, context.getEnvironment()),
					FailureHandler.handleMessage((message, cause) -> {
					}))
			.stream()
			.map((analyzer) -> analyzer.analyze(failure))
			.filter((analysis) -> analysis != null)
			.findFirst()
			.orElseThrow();
	}

}
