package io.interlock.autoconfigure;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

import io.interlock.annotation.DistributedLock;
import io.interlock.autoconfigure.store.LockStores;
import io.interlock.autoconfigure.zookeeper.ZooKeeperProperties;
import io.interlock.autoconfigure.web.LockWebAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A property that does not exist fails the start, and Spring Boot says which one it is.
 */
@ExtendWith(OutputCaptureExtension.class)
class MisspelledPropertyTests {

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class,
				LockAnnotationsAutoConfiguration.class, LockWebAutoConfiguration.class, AopAutoConfiguration.class))
		.withBean(Shop.class)
		.withInitializer((context) -> {
			this.beanFactory = context.getBeanFactory();
			this.environment = context.getEnvironment();
		})
		.withPropertyValues("interlock.provider=memory");

	private BeanFactory beanFactory;

	private Environment environment;

	@ParameterizedTest
	@ValueSource(strings = { "interlock.locks.stock.wait-tme", "interlock.locks.stock.onContenton",
			"interlock.locks.eu.stock.wait-time", "interlock.queue.max-tenur", "interlock.annotations.ordr",
			"interlock.logging.mcd", "interlock.observations.enable", "interlock.transactions.verify-before",
			"interlock.admin.enable", "interlock.web.lost-state", "interlock.zookeeper.conect-string",
			"interlock.zookeeper.embedded.prt", "interlock.zookeeper.locks.stock.peer" })
	void failsTheStartAndIsNamed(String property) {
		this.runner.withUserConfiguration(ZooKeeperPropertiesConfiguration.class)
			.withPropertyValues(property + "=5s")
			.run((context) -> {
				assertThat(context).hasFailed();
				assertThat(analysis(context.getStartupFailure()).getDescription())
					.contains("Property: " + property.toLowerCase(Locale.ROOT))
					.contains("Origin: \"" + property + "\" from property source \"test\"")
					.contains("left unbound");
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "interlock.locks.stock.wait-time=5s", "interlock.locks.stock.waitTime=5s",
			"interlock.locks.[eu.stock].wait-time=5s", "interlock.locks.[price/list].wait-time=5s",
			"interlock.locks.any.enabled=false", "interlock.defaultWaitTime=5s", "interlock.default_wait_time=5s",
			"interlock.queue.max-tenure=5s", "interlock.annotations.order=5", "interlock.admin.enabled=true",
			"interlock.observations.enabled=false", "interlock.transactions.verify-before-commit=none",
			"interlock.logging.mdc=false", "interlock.web.order=5" })
	void propertyThatExistsDoesNot(String property) {
		this.runner.withPropertyValues(property).run((context) -> assertThat(context).hasNotFailed());
	}

	/** The store that knows them is not chosen, or its module is not there. */
	@ParameterizedTest
	@ValueSource(strings = { "interlock.zookeeper.connect-string=a:1", "interlock.zookeeper.embedded.port=0",
			"interlock.zookeeper.locks.stock.peers=mutex", "interlock.zookeeper.locks.[eu.stock].peers=mutex",
			"interlock.zookeeper.connectString=a:1", "interlock.jdbc.lease=5s", "interlock.redis.lease=5s",
			"interlock.redis.anything=5s" })
	void propertyOfAnUnusedGroupDoesNot(String property) {
		this.runner.withPropertyValues(property).run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@CsvSource({ "interlock.default-wait-tme, interlock.default-wait-time",
			"interlock.defualtWaitTime, interlock.default-wait-time", "interlock.quue.enabled, interlock.queue.enabled",
			"interlock.qeue.max-tenur, interlock.queue.max-tenure",
			"interlock.lock.stock.wait-time, interlock.locks.stock.wait-time",
			"interlock.provders.billing.provider, interlock.providers.billing.provider",
			"interlock.queue.max-tenur, interlock.queue.max-tenure",
			"interlock.locks.stock.onContenton, interlock.locks.stock.on-contention",
			"interlock.locks.eu.stock.wait-time, interlock.locks[eu.stock].wait-time",
			"interlock.zookeeper.locks.eu.stock.peers, interlock.zookeeper.locks[eu.stock].peers",
			"interlock.providers.billing.provider.x, interlock.providers.billing.provider",
			"interlock.zookeeper.conect-string, interlock.zookeeper.connect-string",
			"interlock.zookeeper.embedded.prt, interlock.zookeeper.embedded.port",
			"interlock.zookeeper.locks.stock.peer, interlock.zookeeper.locks.stock.peers",
			"interlock.providers.billing.bin, interlock.providers.billing.bean" })
	void failsTheStartAndTheNearestIsNamed(String property, String nearest) {
		this.runner.withPropertyValues("interlock.providers.billing.provider=memory", property + "=secret")
			.run((context) -> {
				assertThat(context).hasFailed();
				FailureAnalysis analysis = nearest(context.getStartupFailure());
				assertThat(analysis.getDescription()).contains(property.toLowerCase(Locale.ROOT))
					.contains("Origin: \"" + property + "\" from property source \"test\"")
					.doesNotContain("secret");
				assertThat(analysis.getAction()).contains("Did you mean " + nearest + "?");
			});
	}

	/** Words of the name or of its group are left out. */
	@ParameterizedTest
	@CsvSource({ "wait-time, default-wait-time", "waitTime, default-wait-time", "wait-tme, default-wait-time",
			"default-wait, default-wait-time", "startup, startup-timeout", "unavailable, when-unavailable",
			"blocking, blocking-on-event-loop", "min-hold, min-hold-at-shutdown", "max-tenure, queue.max-tenure",
			"max-waiting, queue.max-waiting", "linger, queue.linger", "executor, async.executor",
			"async-executor, async.executor", "unproxied, annotations.unproxied",
			"requires-readiness, leader.requires-readiness", "leader.readiness, leader.requires-readiness",
			"mdc, logging.mdc", "retry-after, web.retry-after",
			"verify-before-commit, transactions.verify-before-commit",
			"verifyBeforeCommit, transactions.verify-before-commit",
			"transactions.verify, transactions.verify-before-commit",
			"transaction.verify, transactions.verify-before-commit", "connect-string, zookeeper.connect-string",
			"connectString, zookeeper.connect-string", "zookeeper.connection-string, zookeeper.connect-string",
			"zookeeper.connect, zookeeper.connect-string", "username, zookeeper.username",
			"password, zookeeper.password", "root-path, zookeeper.root-path", "zookeeper.root, zookeeper.root-path",
			"zookeeper.path, zookeeper.root-path", "acl, zookeeper.acl", "require-secure, zookeeper.require-secure",
			"zookeeper.secure, zookeeper.require-secure", "zookeeper.bundle, zookeeper.ssl.bundle",
			"zookeeper.ssl-bundle, zookeeper.ssl.bundle", "session-timeout, zookeeper.session-timeout",
			"sessionTimeout, zookeeper.session-timeout", "zookeeper.session, zookeeper.session-timeout",
			"connection-timeout, zookeeper.connection-timeout", "operator-timeout, zookeeper.operator-timeout",
			"ensemble-tracker, zookeeper.ensemble-tracker", "lock-data, zookeeper.lock-data",
			"zookeeper.data, zookeeper.lock-data", "recipe, zookeeper.recipe", "embedded.port, zookeeper.embedded.port",
			"zookeeper.port, zookeeper.embedded.port", "zookeeper.data-dir, zookeeper.embedded.data-dir",
			"data-dir, zookeeper.embedded.data-dir", "locks.stock.wait, locks.stock.wait-time",
			"locks.stock.contention, locks.stock.on-contention", "on-contention, locks.<name>.on-contention",
			"queue-enabled, queue.enabled", "locks.stock.queue, locks.stock.queue-enabled",
			"peers, zookeeper.locks.<name>.peers", "zookeeper.locks.stock.keep, zookeeper.locks.stock.keep-parent",
			"keep-parent, zookeeper.locks.<name>.keep-parent", "bean, providers.<name>.bean" })
	void failsTheStartAndTheLongerNameIsTold(String property, String longer) {
		this.runner.withUserConfiguration(ZooKeeperPropertiesConfiguration.class)
			.withPropertyValues("interlock." + property + "=5s")
			.run((context) -> {
				assertThat(context).hasFailed();
				assertThat(nearest(context.getStartupFailure()).getAction())
					.contains("Did you mean interlock." + longer + "?");
			});
	}

	/** A hint at one of several would be wrong too often. */
	@ParameterizedTest
	@ValueSource(strings = { "interlock.timeout", "interlock.order", "interlock.zookeeper.enabled" })
	void failsTheStartWithoutAHintAtOneOfSeveral(String property) {
		this.runner.withUserConfiguration(ZooKeeperPropertiesConfiguration.class)
			.withPropertyValues(property + "=5s")
			.run((context) -> {
				assertThat(context).hasFailed();
				assertThat(nearest(context.getStartupFailure()).getAction()).doesNotContain("Did you mean");
			});
	}

	@ParameterizedTest
	@CsvSource({ "interlock.events.enabled, Declare an EventPublishingLockListener bean that publishes nothing",
			"interlock.web.lostStatus, Handle the exception in an @ExceptionHandler of the application",
			"interlock.queue.max-handoffs, Set interlock.queue.max-tenure",
			"interlock.zookeeper.retry.max-retries, Declare a RetryPolicy bean",
			"interlock.observations.metrics, Use the meters interlock.acquire and interlock.hold" })
	void propertyThatIsGoneFailsTheStartWithWhatToDoInstead(String property, String instead) {
		this.runner.withUserConfiguration(ZooKeeperPropertiesConfiguration.class)
			.withPropertyValues(property + "=5")
			.run((context) -> {
				assertThat(context).hasFailed();
				assertThat(nearest(context.getStartupFailure()).getAction())
					.contains(instead + " instead, and remove ");
			});
	}

	/** Then no bean of a web application is bound to the group. */
	@ParameterizedTest
	@CsvSource({
			"interlock.web.not-acquired-status, 409, Handle the exception in an @ExceptionHandler of the "
					+ "application instead",
			"interlock.web.unavailable-status, 503, Handle the exception in an @ExceptionHandler of the application "
					+ "instead",
			"interlock.web.enabld, false, Did you mean interlock.web.enabled?",
			"interlock.web.retryAfer, 2s, Did you mean interlock.web.retry-after?" })
	void propertyOfTheWebFailsTheStartWithoutAWebApplication(String property, String value, String action) {
		ApplicationContextRunner plain = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class,
					LockAnnotationsAutoConfiguration.class, LockWebAutoConfiguration.class))
			.withInitializer((context) -> this.beanFactory = context.getBeanFactory())
			.withPropertyValues("interlock.provider=memory", "interlock.web.order=5");
		plain.run((context) -> assertThat(context).hasNotFailed());
		for (ApplicationContextRunner runner : List.of(plain, plain.withPropertyValues("interlock.web.enabled=false"),
				plain.withClassLoader(new FilteredClassLoader("org.springframework.web")))) {
			runner.withPropertyValues(property + "=" + value).run((context) -> {
				assertThat(context).hasFailed();
				assertThat(nearest(context.getStartupFailure()).getAction()).contains(action);
			});
		}
	}

	/** The auto-configuration is excluded, or the module of the store is not there. */
	@ParameterizedTest
	@ValueSource(strings = { "interlock.web.lost-status", "interlock.zookeeper.retry.max-retries" })
	void propertyThatIsGoneFailsTheStartWithoutItsGroup(String property) {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(InterlockAutoConfiguration.class, LockAnnotationsAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader("io.interlock.zookeeper"))
			.withInitializer((context) -> this.beanFactory = context.getBeanFactory())
			.withPropertyValues("interlock.provider=memory", property + "=5")
			.run((context) -> {
				assertThat(context).hasFailed();
				assertThat(nearest(context.getStartupFailure()).getAction())
					.contains(" instead, and remove " + property);
			});
	}

	/** Annotations write the name, and views and logs write it behind an at sign. */
	@ParameterizedTest
	@CsvSource({ "interlock.providers[0].provider, 0", "interlock.providers.0.provider, 0",
			"interlock.providers.[a@b].provider, a@b", "interlock.providers[a@b].provider, a@b",
			"interlock.providers.a@b.provider, a@b", "interlock.providers.[eu.billing].provider, eu.billing",
			"interlock.providers.euBilling.provider, euBilling", "interlock.providers.eu_billing.provider, eu_billing",
			"interlock.providers.[].provider, ''" })
	void providerWithoutAPlainNameFailsTheStart(String property, String name) {
		this.runner.withPropertyValues(property + "=memory").run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = analysis(context.getStartupFailure());
			assertThat(analysis.getDescription())
				.isEqualTo("A lock provider cannot have the name '%s' below interlock.providers.", name);
			assertThat(analysis.getAction()).contains("interlock.providers.<name>.provider",
					"letters, digits and dashes");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "billing", "eu-billing", "2nd" })
	void providerWithAPlainNameDoesNot(String name) {
		this.runner.withPropertyValues("interlock.providers." + name + ".provider=memory")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@CsvSource({ "interlock.provider, zokeeper, zookeeper", "interlock.provider, Reddis, redis",
			"interlock.providers.billing.provider, memroy, memory", "interlock.provider, redsi, redis",
			"interlock.provider, jbdc, jdbc", "interlock.providers.billing.provider, redsi, redis" })
	void misspelledStoreHasANearestOne(String property, String store, String nearest) {
		this.runner.withPropertyValues(property + "=" + store).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = analysis(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains(property, '"' + store + '"');
			assertThat(analysis.getAction()).contains("Did you mean " + nearest + "?", "jdbc", property);
		});
	}

	@Test
	void providerWithoutAStoreThatIsLikeAnotherOneIsMisspelled() {
		this.runner
			.withPropertyValues("interlock.providers.billing.provider=memory", "interlock.providers.billng.bean=secret")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("interlock.providers.billng.provider")
				.hasStackTraceContaining("Did you mean interlock.providers.billing?"));
	}

	/** Then the provider has no store, which is no reason to hide the mistake. */
	@ParameterizedTest
	@CsvSource({ "interlock.providers.billing.provder, interlock.providers.billing.provider",
			"interlock.providers.billing.Providr, interlock.providers.billing.provider" })
	void misspelledStoreOfAProviderIsNamedWithItsNearestProperty(String property, String nearest) {
		this.runner.withPropertyValues(property + "=secret", "interlock.providers.billing.bean=own").run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = nearest(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains(property.toLowerCase(Locale.ROOT))
				.doesNotContain("secret", "interlock.providers.billing.bean");
			assertThat(analysis.getAction()).contains("Did you mean " + nearest + "?");
		});
	}

	@Test
	void providerWithoutAStoreIsExplained() {
		this.runner.withPropertyValues("interlock.providers.billing.bean=own").run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = analysis(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("billing", "interlock.providers.billing.provider");
			assertThat(analysis.getAction())
				.contains("Set interlock.providers.billing.provider to one of zookeeper, jdbc, redis, memory");
		});
	}

	@Test
	void propertyOfZooKeeperBelowAProviderHasANearestOne() {
		this.runner
			.withPropertyValues("interlock.providers.billing.provider=zookeeper",
					"interlock.providers.billing.connect-string=localhost:1",
					"interlock.providers.billing.session-timout=5s")
			.run((context) -> {
				assertThat(context).hasFailed();
				FailureAnalysis analysis = nearest(context.getStartupFailure());
				assertThat(analysis.getAction()).contains("Did you mean interlock.providers.billing.session-timeout?");
			});
	}

	/** A value where a group, or a group of groups, is expected. */
	@ParameterizedTest
	@CsvSource({ "interlock.providers, interlock.providers.<name>.provider",
			"interlock.providers.billing, interlock.providers.billing.provider",
			"interlock.locks, interlock.locks.<name>.wait-time",
			"interlock.locks.stock, interlock.locks.stock.wait-time", "interlock.queue, interlock.queue.max-tenure",
			"interlock.admin, interlock.admin.enabled", "interlock.zookeeper, interlock.zookeeper.connect-string",
			"interlock.zookeeper.locks, interlock.zookeeper.locks.<name>.peers",
			"interlock.zookeeper.locks.stock, interlock.zookeeper.locks.stock.peers" })
	void valueOfAGroupFailsTheStartWithItsShape(String group, String expected) {
		this.runner.withUserConfiguration(ZooKeeperPropertiesConfiguration.class)
			.withPropertyValues(group + "=secret")
			.run((context) -> {
				assertThat(context).hasFailed();
				FailureAnalysis analysis = shape(context.getStartupFailure());
				assertThat(analysis.getDescription()).contains(group, "Origin: \"" + group + "\" from property source")
					.doesNotContain("secret");
				assertThat(analysis.getAction()).contains(expected);
			});
	}

	/** What YAML makes of a group whose lines are all comments. */
	@ParameterizedTest
	@ValueSource(strings = { "interlock.providers", "interlock.locks", "interlock.queue", "interlock.zookeeper.locks" })
	void emptyGroupIsNoMistake(String group) {
		this.runner.withUserConfiguration(ZooKeeperPropertiesConfiguration.class)
			.withPropertyValues(group + "=")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void propertyUnlikeAnyOtherHasNoNearestOne() {
		this.runner.withPropertyValues("interlock.anything=5s").run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = nearest(context.getStartupFailure());
			assertThat(analysis.getAction()).doesNotContain("Did you mean").contains("interlock.anything");
		});
	}

	@Test
	void groupOfTheApplicationIsKnown() {
		this.runner.withUserConfiguration(OwnPropertiesConfiguration.class)
			.withPropertyValues("interlock.acme.url=http://acme")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void everyGroupOfTheMetadataIsKnown() throws Exception {
		for (Map<String, Object> property : ConfigurationMetadataTests.properties()) {
			ConfigurationPropertyName name = ConfigurationPropertyName.of(property.get("name").toString());
			if (name.getNumberOfElements() > 2) {
				assertThat(UnknownProperties.groups(LockStores.of(getClass().getClassLoader())))
					.contains(name.getElement(1, Form.UNIFORM));
			}
		}
	}

	@Test
	void absentModuleIsNamed(CapturedOutput output) {
		this.runner.withPropertyValues("interlock.redis.lease=5s", "interlock.redis.key-prefix=a")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce(
				"[interlock.redis.key-prefix, interlock.redis.lease] have no effect: the class path lacks io.interlock:lock-redis-starter");
	}

	@Test
	void environmentVariablesAreNotJudged() {
		Map<String, Object> variables = Map.of("INTERLOCK_SERVICE_HOST", "10.0.0.1", "INTERLOCK_PORT_8080_TCP",
				"tcp://10.0.0.1:8080", "INTERLOCK_QUEUE_PORT_80", "80", "INTERLOCK_LOCKS_STOCK_WAITTIME", "5s");
		this.runner
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.replace(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
						new SystemEnvironmentPropertySource(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
								variables)))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(InterlockProperties.Locks.class)).containsOnlyKeys("stock");
			});
	}

	@Test
	void systemPropertiesAreNotJudged() {
		this.runner.withSystemProperties("interlock.queue.max-tenur=5s")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	private FailureAnalysis nearest(Throwable failure) {
		FailureAnalysis analysis = new UnknownPropertyFailureAnalyzer(this.beanFactory).analyze(failure);
		assertThat(analysis).isNotNull();
		return analysis;
	}

	private FailureAnalysis shape(Throwable failure) {
		FailureAnalysis analysis = new GroupValueFailureAnalyzer(this.beanFactory, this.environment).analyze(failure);
		return (analysis != null) ? analysis : nearest(failure);
	}

	private static FailureAnalysis analysis(Throwable failure) {
		return SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, SpringFactoriesLoader.FailureHandler.handleMessage((message, cause) -> {
				// Some analyzers want a bean factory.
			}))
			.stream()
			.map((analyzer) -> analyzer.analyze(failure))
			.filter(Objects::nonNull)
			.findFirst()
			.orElseThrow();
	}

	static class Shop {

		@DistributedLock("stock")
		public void stock() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(OwnProperties.class)
	static class OwnPropertiesConfiguration {

	}

	@ConfigurationProperties("interlock.acme")
	record OwnProperties(String url) {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(ZooKeeperProperties.class)
	static class ZooKeeperPropertiesConfiguration {

	}

}
