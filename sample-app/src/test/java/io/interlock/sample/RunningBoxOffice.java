package io.interlock.sample;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import io.interlock.sample.database.DatabaseServer;
import org.apache.curator.framework.CuratorFramework;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.test.web.servlet.client.RestTestClient;

/**
 * A box office on a free port, with a database and a ZooKeeper of its own unless it joins
 * another one.
 */
class RunningBoxOffice implements AutoCloseable {

	private final ConfigurableApplicationContext context;

	private RunningBoxOffice(List<String> arguments, Class<?>... configuration) {
		SpringApplication application = new SpringApplication(BoxOfficeApplication.class);
		application.addPrimarySources(List.of(configuration));
		this.context = application.run(arguments.toArray(String[]::new));
	}

	static RunningBoxOffice first(List<String> arguments, Class<?>... configuration) {
		List<String> all = new ArrayList<>(arguments);
		all.addAll(List.of("--server.port=0", "--sample.database.port=0", "--interlock.zookeeper.embedded.port=0",
				"--interlock.default-wait-time=60s", "--sample.database.name=" + UUID.randomUUID()));
		return new RunningBoxOffice(all, configuration);
	}

	RunningBoxOffice joined() {
		ConfigurableEnvironment environment = this.context.getEnvironment();
		return new RunningBoxOffice(List.of("--spring.profiles.active=join", "--server.port=0",
				"--interlock.default-wait-time=60s", "--sample.database.port=" + bean(DatabaseServer.class).port(),
				"--sample.database.name=" + environment.getRequiredProperty("sample.database.name"),
				"--sample.settlement.interval=" + environment.getRequiredProperty("sample.settlement.interval"),
				"--interlock.zookeeper.connect-string="
						+ bean(CuratorFramework.class).getZookeeperClient().getCurrentConnectionString()));
	}

	RestTestClient client() {
		return RestTestClient.bindToServer().baseUrl("http://" + name()).build();
	}

	String name() {
		return "localhost:" + ((WebServerApplicationContext) this.context).getWebServer().getPort();
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	@Override
	public void close() {
		this.context.close();
	}

}
