package io.interlock.faults.counter;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.interlock.testsupport.postgres.PostgresServer;
import io.interlock.testsupport.redis.RedisServer;
import io.interlock.testsupport.server.Server;
import io.interlock.testsupport.server.ServerSettings;

/**
 * A store of locks, whose servers run, and how applications find it.
 *
 * @param arguments arguments of an application
 * @param pastTheLease after how long the locks of an instance that is stopped are free
 * @param beforeAStop what happens before an instance is stopped
 * @param inAStop what happens while it is stopped
 * @param end ends the servers
 */
public record LockStore(List<String> arguments, Duration pastTheLease, Runnable beforeAStop, Runnable inAStop,
		Runnable end) implements AutoCloseable {

	private static final Duration SESSION = Duration.ofSeconds(3);

	private static final Duration LEASE = Duration.ofSeconds(2);

	private static final Runnable NOTHING = () -> {
	};

	/**
	 * Start the servers of a store.
	 * @param name its name in the table
	 * @param directory for the data of its servers
	 * @return the store
	 */
	public static LockStore start(String name, Path directory) {
		return switch (name) {
			case "ZooKeeper" -> zooKeeper(directory);
			case "PostgreSQL" -> postgres();
			case "Redis" -> redis();
			case "Redis, fails over" -> redisThatFailsOver();
			default -> throw new IllegalArgumentException(name);
		};
	}

	private static LockStore zooKeeper(Path directory) {
		Server server = Server.standalone(directory, ServerSettings.quick());
		return new LockStore(
				List.of("--interlock.provider=zookeeper",
						"--interlock.zookeeper.connect-string=127.0.0.1:" + server.clientPort(),
						"--interlock.zookeeper.session-timeout=" + SESSION,
						"--interlock.zookeeper.connection-timeout=" + SESSION),
				SESSION.plusMillis(1200), NOTHING, NOTHING, server::close);
	}

	private static LockStore postgres() {
		PostgresServer server = PostgresServer.start();
		return new LockStore(
				List.of("--interlock.provider=jdbc", "--interlock.jdbc.lease=" + LEASE,
						"--interlock.jdbc.initialize-schema=always", "--counter.locks=" + server.url()),
				LEASE.plusMillis(600), NOTHING, NOTHING, server::close);
	}

	private static LockStore redis() {
		RedisServer server = RedisServer.start();
		return new LockStore(redis(server.port()), LEASE.plusMillis(600), NOTHING, NOTHING, server::close);
	}

	private static LockStore redisThatFailsOver() {
		FailingOverRedis redis = new FailingOverRedis();
		return new LockStore(redis(redis.port()), LEASE.plusMillis(600), redis::loseWrites, redis::failOver,
				redis::close);
	}

	private static List<String> redis(int port) {
		return List.of("--interlock.provider=redis", "--interlock.redis.lease=" + LEASE,
				"--spring.data.redis.host=127.0.0.1", "--spring.data.redis.port=" + port);
	}

	@Override
	public void close() {
		this.end.run();
	}

}
