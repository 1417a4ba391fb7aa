package io.interlock.integration;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.interlock.LockRequest;
import io.interlock.template.LockTemplate;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.TestingServer;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Instances of an application on one ZooKeeper server in this JVM. Their sessions last
 * ten seconds.
 */
final class Instances implements AutoCloseable {

	static {
		// Nothing here survives a power failure, and nothing has to.
		System.setProperty("zookeeper.forceSync", "no");
	}

	private final TestingServer server = new TestingServer();

	private final List<ConfigurableApplicationContext> contexts = new ArrayList<>();

	Instances() throws Exception {
	}

	ConfigurableApplicationContext start(Class<?> application, String... arguments) {
		ConfigurableApplicationContext context = new SpringApplicationBuilder(application).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.properties("interlock.zookeeper.connect-string=" + this.server.getConnectString(),
					"interlock.zookeeper.session-timeout=10s", "interlock.try-timeout=10s",
					"interlock.verify-timeout=20s")
			.run(arguments);
		this.contexts.add(context);
		awaitLocks(context);
		return context;
	}

	/**
	 * Wait until an instance has a session.
	 */
	static void awaitLocks(ConfigurableApplicationContext context) {
		context.getBean(LockTemplate.class)
			.acquire(LockRequest.exclusive("warm-up").withWaitTime(Duration.ofMinutes(1)))
			.close();
	}

	void stopServer() throws IOException {
		this.server.stop();
	}

	/**
	 * End the session of an instance, as the servers do when they have not heard of it
	 * for its timeout.
	 */
	static void endSession(ConfigurableApplicationContext context) throws Exception {
		context.getBean(CuratorFramework.class)
			.getZookeeperClient()
			.getZooKeeper()
			.getTestable()
			.injectSessionExpiration();
	}

	@Override
	public void close() throws IOException {
		this.contexts.forEach(ConfigurableApplicationContext::close);
		this.server.close();
	}

}
