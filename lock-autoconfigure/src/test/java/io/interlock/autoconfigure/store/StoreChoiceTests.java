package io.interlock.autoconfigure.store;

import java.net.URL;
import java.net.URLClassLoader;

import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.InterlockProperties;
import io.interlock.autoconfigure.zookeeper.CuratorAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockProvider;
import io.interlock.zookeeper.ZooKeeperSession;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for the choice of a store by the class path.
 */
class StoreChoiceTests {

	private final ApplicationContextRunner zooKeeper = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(CuratorAutoConfiguration.class, InterlockAutoConfiguration.class,
				ZooKeeperLockAutoConfiguration.class))
		.withPropertyValues("interlock.zookeeper.connect-string=localhost:1");

	private final ApplicationContextRunner zooKeeperAndDatabase = this.zooKeeper
		.withClassLoader(with("jdbc", StoreChoiceTests.class.getClassLoader()));

	@Test
	void analyzerIsRegistered() {
		assertThat(SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, FailureHandler.handleMessage((message, failure) -> {
			}))).hasAtLeastOneElementOfType(NoStoreFailureAnalyzer.class);
	}

	@Test
	void theOnlyStoreNeedsNoProperty() {
		this.zooKeeper.run((context) -> {
			assertThat(context).hasSingleBean(ZooKeeperSession.class);
			assertThat(context.getBean(InterlockProperties.class).provider()).isNull();
		});
	}

	@Test
	void severalStoresNeedTheProperty() {
		this.zooKeeperAndDatabase.run((context) -> {
			FailureAnalysis analysis = analysis(context);
			assertThat(analysis.getDescription()).contains("zookeeper, jdbc");
			assertThat(analysis.getAction()).contains("interlock.provider");
		});
	}

	@Test
	void severalStoresNeedThePropertyWhereBeansAreLazy() {
		this.zooKeeperAndDatabase
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.run((context) -> assertThat(analysis(context).getDescription()).contains("zookeeper, jdbc"));
	}

	@Test
	void zooKeeperIsNoStoreWithoutItsClient() {
		this.zooKeeper.withClassLoader(with("redis", with("jdbc", new FilteredClassLoader("org.apache.curator"))))
			.run((context) -> assertThat(analysis(context).getDescription()).contains("jdbc, redis")
				.doesNotContain("zookeeper"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "zookeeper", "ZOOKEEPER", "memory", "none" })
	void thePropertyChoosesAmongSeveralStores(String provider) {
		this.zooKeeperAndDatabase.withPropertyValues("interlock.provider=" + provider)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@CsvSource({ "zookeeper, lock-starter", "jdbc, lock-jdbc-starter", "redis, lock-redis-starter" })
	void aStoreThatIsAbsentFailsTheStartAndNamesItsStarter(String provider, String starter) {
		this.zooKeeper.withClassLoader(new FilteredClassLoader(CuratorFramework.class))
			.withPropertyValues("interlock.provider=" + provider)
			.run((context) -> {
				FailureAnalysis analysis = analysis(context);
				assertThat(analysis.getDescription()).contains("interlock.provider is " + provider);
				assertThat(analysis.getAction()).contains("io.interlock:" + starter + ",");
			});
	}

	@Test
	void aStoreThatIsAbsentFailsTheStartBesideAnotherOne() {
		this.zooKeeper.withPropertyValues("interlock.provider=jdbc")
			.run((context) -> assertThat(analysis(context).getAction()).contains("io.interlock:lock-jdbc-starter"));
	}

	@Test
	void noStoreAtAllFailsTheStartAndNamesTheStarters() {
		this.zooKeeper.withClassLoader(new FilteredClassLoader(CuratorFramework.class))
			.run((context) -> assertThat(analysis(context).getAction()).contains("io.interlock:lock-starter",
					"io.interlock:lock-jdbc-starter", "io.interlock:lock-redis-starter"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "interlock.enabled=false", "interlock.provider=memory", "interlock.provider=none" })
	void noStoreIsNeededWhereNoneIsAskedFor(String property) {
		this.zooKeeper.withClassLoader(new FilteredClassLoader(CuratorFramework.class))
			.withPropertyValues(property)
			.run((context) -> assertThat(context).hasSingleBean(InMemoryLockProvider.class));
	}

	@Test
	void nothingIsChosenWhereLocksAreOff() {
		this.zooKeeperAndDatabase.withPropertyValues("interlock.enabled=false")
			.run((context) -> assertThat(context).hasSingleBean(InMemoryLockProvider.class));
	}

	@Test
	void nothingIsChosenWhereTheApplicationHasAProvider() {
		LockProvider mine = new InMemoryLockProvider();
		this.zooKeeperAndDatabase.withBean("mine", LockProvider.class, () -> mine)
			.run((context) -> assertThat(context.getBeanProvider(LockProvider.class).getObject()).isSameAs(mine));
	}

	private static FailureAnalysis analysis(AssertableApplicationContext context) {
		assertThat(context).hasFailed();
		FailureAnalysis analysis = new NoStoreFailureAnalyzer().analyze(context.getStartupFailure());
		assertThat(analysis).isNotNull();
		return analysis;
	}

	@Test
	void twoStoresOfOneNameFailTheStart() {
		ClassLoader twice = with("twice", StoreChoiceTests.class.getClassLoader());
		assertThatIllegalStateException().isThrownBy(() -> LockStores.of(twice))
			.withMessageContaining("OtherJdbc has the name 'jdbc', which another lock store already uses");
	}

	/** Return a class path with the module of one more store. */
	private static ClassLoader with(String store, ClassLoader parent) {
		return new URLClassLoader(new URL[] { StoreChoiceTests.class.getResource(store + "/") }, parent);
	}

	static class Jdbc extends Store {

		@Override
		public String name() {
			return "jdbc";
		}

	}

	static class OtherJdbc extends Jdbc {

	}

	static class Redis extends Store {

		@Override
		public String name() {
			return "redis";
		}

	}

	abstract static class Store implements LockStoreFactory<Store.Properties> {

		@Override
		public Class<Properties> properties() {
			return Properties.class;
		}

		@Override
		public LockProvider create(Properties properties, Definition definition) {
			return new InMemoryLockProvider();
		}

		@ConfigurationProperties("interlock.store")
		record Properties() {

		}

	}

}
