package io.interlock.sample;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.jdbc.autoconfigure.LockDataSource;
import io.interlock.testsupport.postgres.PostgresServer;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.redis.RedisServer;
import io.interlock.testsupport.server.Server;
import io.interlock.testsupport.server.ServerSettings;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;

/**
 * A store of locks as a process, and box offices with their locks in it, behind a line
 * that a test can cut.
 */
enum LockStore {

	ZOOKEEPER {

		@Override
		Running start(Path directory) {
			Server server = Server.standalone(directory, ServerSettings.quick());
			return new Running(server.clientPort(), server::close);
		}

	},

	JDBC {

		@Override
		Running start(Path directory) {
			PostgresServer server = PostgresServer.start();
			return new Running(Integer.parseInt(server.url().replaceFirst("^.*:(\\d+)/.*$", "$1")), server::close);
		}

	},

	REDIS {

		@Override
		Running start(Path directory) {
			RedisServer server = RedisServer.start();
			return new Running(server.port(), server::close);
		}

	};

	abstract Running start(Path directory);

	/** Start a box office whose locks are at the end of a line. */
	RunningBoxOffice open(TcpProxy line, Duration lease, Class<?>... configuration) {
		List<Class<?>> all = new ArrayList<>(List.of(configuration));
		if (this == JDBC) {
			all.add(LocksInPostgres.class);
		}
		return RunningBoxOffice.first(List.of("--interlock.provider=" + name().toLowerCase(Locale.ROOT),
				"--interlock.zookeeper.embedded.enabled=false",
				"--interlock.zookeeper.connect-string=" + line.connectString(), "--interlock.redis.lease=" + lease,
				"--spring.data.redis.host=127.0.0.1", "--spring.data.redis.port=" + line.port(),
				"--interlock.jdbc.lease=" + lease, "--interlock.jdbc.initialize-schema=always",
				"--test.locks-url=jdbc:postgresql://%s/postgres".formatted(line.connectString())),
				all.toArray(Class<?>[]::new));
	}

	/**
	 * A server of a store.
	 */
	record Running(int port, Runnable end) implements AutoCloseable {

		@Override
		public void close() {
			this.end.run();
		}

	}

	/** Without an annotation, or the scan of each box office would find it. */
	static class LocksInPostgres {

		@Bean(defaultCandidate = false)
		@LockDataSource
		HikariDataSource locksDataSource(@Value("${test.locks-url}") String url) {
			HikariDataSource dataSource = new HikariDataSource();
			dataSource.setJdbcUrl(url);
			dataSource.setUsername("postgres");
			dataSource.setMaximumPoolSize(15);
			dataSource.setConnectionTimeout(2000);
			return dataSource;
		}

	}

}
