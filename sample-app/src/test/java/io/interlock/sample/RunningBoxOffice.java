package io.interlock.sample;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

import io.interlock.sample.database.DatabaseServer;
import org.apache.curator.framework.CuratorFramework;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.web.servlet.client.RestTestClient;

/**
 * A box office on a free port, with a database and a ZooKeeper of its own unless it joins
 * another one.
 */
class RunningBoxOffice implements AutoCloseable {

	private static final List<String> SHARED = List.of("sample.database.name", "sample.settlement.interval",
			"interlock.provider", "spring.data.redis.port");

	private final ConfigurableApplicationContext context;

	private RunningBoxOffice(List<String> arguments, Class<?>... configuration) {
		SpringApplication application = new SpringApplication(BoxOfficeApplication.class);
		application.addPrimarySources(List.of(configuration));
		this.context = application.run(arguments.toArray(String[]::new));
	}

	static RunningBoxOffice first(List<String> arguments, Class<?>... configuration) {
		List<String> all = new ArrayList<>(arguments);
		all.addAll(List.of("--server.port=0", "--sample.database.port=0", "--interlock.zookeeper.embedded.port=0",
				"--interlock.instance-id=" + UUID.randomUUID(), "--interlock.default-wait-time=60s",
				"--sample.database.name=" + UUID.randomUUID()));
		// H2 lets a transaction wait for another one for two seconds otherwise.
		all.add("--spring.datasource.url=jdbc:h2:mem:${sample.database.name};DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000");
		return new RunningBoxOffice(all, configuration);
	}

	RunningBoxOffice joined() {
		List<String> all = new ArrayList<>(List.of("--spring.profiles.active=join", "--server.port=0",
				// Two instances in one process would have one identifier.
				"--interlock.instance-id=" + UUID.randomUUID(), "--interlock.default-wait-time=60s",
				"--sample.database.port=" + bean(DatabaseServer.class).port()));
		SHARED.stream()
			.filter(this.context.getEnvironment()::containsProperty)
			.map((name) -> "--%s=%s".formatted(name, this.context.getEnvironment().getProperty(name)))
			.forEach(all::add);
		this.context.getBeanProvider(CuratorFramework.class)
			.ifAvailable((client) -> all.add("--interlock.zookeeper.connect-string="
					+ client.getZookeeperClient().getCurrentConnectionString()));
		return new RunningBoxOffice(all);
	}

	RestTestClient client() {
		return RestTestClient.bindToServer().baseUrl("http://" + name()).build();
	}

	String databaseName() {
		return this.context.getEnvironment().getRequiredProperty("sample.database.name");
	}

	String name() {
		return "localhost:" + ((WebServerApplicationContext) this.context).getWebServer().getPort();
	}

	/**
	 * Stop the ZooKeeper server that runs in this JVM, as an outage would.
	 */
	void stopZooKeeper() throws Exception {
		((AutoCloseable) this.context.getBean("interlockEmbeddedZooKeeper")).close();
	}

	/**
	 * Return what Prometheus would read.
	 */
	String scrape() {
		return Objects.requireNonNull(client().get()
			.uri("/actuator/prometheus")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody(String.class)
			.returnResult()
			.getResponseBody());
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	@Override
	public void close() {
		this.context.close();
	}

}
