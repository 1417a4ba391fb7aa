package io.interlock.architecture;

import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

import io.interlock.annotation.DistributedLock;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.LockAnnotationsAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.CuratorAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;
import io.interlock.jdbc.autoconfigure.JdbcLockAutoConfiguration;
import org.apache.curator.test.TestingServer;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/**
 * One call of an annotated method, from the annotation to the store and back.
 */
final class RunningCall {

	/** So many that what a timer does beside a call is not beside most of them. */
	private static final int CALLS = 20;

	private RunningCall() {
	}

	static Set<String> onZooKeeper() throws Exception {
		try (TestingServer server = new TestingServer()) {
			return typesIn(new ApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(CuratorAutoConfiguration.class))
				.withPropertyValues("interlock.provider=zookeeper",
						"interlock.zookeeper.connect-string=" + server.getConnectString()));
		}
	}

	/** Each call ends its release, so that none of it runs in the next one. */
	static Set<String> onDatabase() {
		return typesIn(new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(DataSourceAutoConfiguration.class, JdbcLockAutoConfiguration.class))
			.withPropertyValues("interlock.provider=jdbc", "interlock.release-timeout=10s",
					"spring.datasource.url=jdbc:h2:mem:running-call"));
	}

	private static Set<String> typesIn(ApplicationContextRunner store) {
		AtomicReference<Set<String>> types = new AtomicReference<>();
		store
			.withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class,
					ZooKeeperLockAutoConfiguration.class, LockAnnotationsAutoConfiguration.class))
			.withBean(Shop.class)
			.run((context) -> {
				Shop shop = context.getBean(Shop.class);
				shop.sell("first");
				types.set(RunningTypes.duringMost(CALLS, () -> shop.sell("apple")));
			});
		return types.get();
	}

	static class Shop {

		@DistributedLock(name = "stock", key = "#sku")
		public String sell(String sku) {
			return sku;
		}

	}

}
