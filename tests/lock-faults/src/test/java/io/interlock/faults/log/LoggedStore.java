package io.interlock.faults.log;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.interlock.testsupport.postgres.PostgresServer;
import io.interlock.testsupport.proxy.Ports;
import io.interlock.testsupport.redis.RedisServer;
import io.interlock.testsupport.server.Server;
import io.interlock.testsupport.server.ServerSettings;

/**
 * A server of each store, and how an application finds it behind an address.
 *
 * @param name its name in the table
 * @param port where the server listens
 * @param end ends the server
 */
record LoggedStore(String name, int port, Runnable end) implements AutoCloseable {

	static LoggedStore zooKeeper(Path directory) {
		Server server = Server.standalone(directory, ServerSettings.quick());
		return new LoggedStore("ZooKeeper", server.clientPort(), server::close);
	}

	static LoggedStore postgres() {
		PostgresServer server = PostgresServer.start();
		return new LoggedStore("PostgreSQL", Integer.parseInt(server.url().replaceAll(".*:(\\d+)/.*", "$1")),
				server::close);
	}

	static LoggedStore redis() {
		RedisServer server = RedisServer.start();
		return new LoggedStore("Redis", server.port(), server::close);
	}

	/** A cluster that is not there. */
	static LoggedStore missingRedisCluster() {
		return new LoggedStore("Redis Cluster", Ports.free(), () -> {
		});
	}

	/** Return the arguments of an application whose holds last for a time of silence. */
	List<String> arguments(String host, int port, Duration lease) {
		String millis = lease.toMillis() + "ms";
		return switch (this.name) {
			case "ZooKeeper" -> List.of("--interlock.provider=zookeeper",
					"--interlock.zookeeper.connect-string=" + host + ":" + port,
					"--interlock.zookeeper.session-timeout=" + millis,
					"--interlock.zookeeper.connection-timeout=" + millis,
					"--spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration");
			case "PostgreSQL" -> List.of("--interlock.provider=jdbc", "--interlock.jdbc.lease=" + millis,
					"--interlock.jdbc.initialize-schema=always",
					"--spring.datasource.url=jdbc:postgresql://" + host + ":" + port + "/postgres",
					"--spring.datasource.username=postgres");
			case "Redis Cluster" -> List.of("--interlock.provider=redis", "--interlock.redis.lease=" + millis,
					"--spring.data.redis.cluster.nodes=" + host + ":" + port,
					"--spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration");
			default -> List.of("--interlock.provider=redis", "--interlock.redis.lease=" + millis,
					"--spring.data.redis.host=" + host, "--spring.data.redis.port=" + port,
					"--spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration");
		};
	}

	@Override
	public void close() {
		this.end.run();
	}

}
