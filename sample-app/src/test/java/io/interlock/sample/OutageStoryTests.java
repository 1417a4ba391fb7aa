package io.interlock.sample;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.jdbc.autoconfigure.LockDataSource;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.postgres.PostgresServer;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.redis.RedisServer;
import io.interlock.testsupport.server.Server;
import io.interlock.testsupport.server.ServerSettings;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What an operator reads through an outage of the store, while all holds are short: none
 * lives until its lease is renewed after it.
 */
class OutageStoryTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final Duration OUTAGE = Duration.ofSeconds(18);

	@TempDir
	private Path directory;

	@ParameterizedTest
	@EnumSource
	void storeIsBackWithTheFirstLockAfterAnOutage(Store store) {
		try (StoreServer server = store.start(this.directory);
				TcpProxy line = TcpProxy.to(server.port());
				RunningBoxOffice boxOffice = start(store, line, Duration.ofSeconds(6))) {
			outage(boxOffice, store, line, Duration.ZERO);
			line.heal();
			isBack(boxOffice, store);
		}
	}

	@Deep
	@ParameterizedTest
	@EnumSource
	void alertsAreSilentAfterAnOutageOfEighteenSeconds(Store store) throws Exception {
		Promtool.assume();
		try (StoreServer server = store.start(this.directory);
				TcpProxy line = TcpProxy.to(server.port());
				RunningBoxOffice boxOffice = start(store, line, Duration.ofSeconds(15))) {
			Timeline timeline = new Timeline(boxOffice);
			scrape(timeline, boxOffice, 20);
			outage(boxOffice, store, line, OUTAGE);
			// Two scrapes fall into such an outage, and a third one where it is late.
			timeline.scrape(3);
			line.heal();
			isBack(boxOffice, store);
			scrape(timeline, boxOffice, 20);
			timeline.expectNothing();
			Promtool.test(timeline, this.directory);
		}
	}

	private static RunningBoxOffice start(Store store, TcpProxy line, Duration lease) {
		return RunningBoxOffice.first(List.of("--interlock.provider=" + store.name().toLowerCase(),
				"--interlock.zookeeper.embedded.enabled=false",
				"--interlock.zookeeper.connect-string=" + line.connectString(), "--interlock.redis.lease=" + lease,
				"--spring.data.redis.host=127.0.0.1", "--spring.data.redis.port=" + line.port(),
				"--interlock.jdbc.lease=" + lease, "--interlock.jdbc.initialize-schema=always",
				"--test.locks-url=jdbc:postgresql://%s/postgres".formatted(line.connectString())),
				(store == Store.JDBC) ? new Class<?>[] { ShortHoldsOnly.class, LocksInPostgres.class }
						: new Class<?>[] { ShortHoldsOnly.class });
	}

	/** A short hold sees the outage begin, and health tells of it. */
	private static void outage(RunningBoxOffice boxOffice, Store store, TcpProxy line, Duration time) {
		try (LockHandle seen = acquire(boxOffice, "stock")) {
			isUp(boxOffice, store);
			line.refuse();
			await().atMost(PATIENCE).until(() -> !seen.isValid());
		}
		await().atMost(PATIENCE).untilAsserted(() -> {
			assertThat(status(boxOffice, store)).isNotEqualTo("UP");
			assertThat(boxOffice.scrape()).contains("interlock_connection{state=\"connected\"} 0");
		});
		await().pollDelay(time).atMost(time.plus(PATIENCE)).until(() -> true);
	}

	private static void isBack(RunningBoxOffice boxOffice, Store store) {
		try (LockHandle hold = acquire(boxOffice, "orders")) {
			assertThat(hold.isValid()).isTrue();
			isUp(boxOffice, store);
		}
		isUp(boxOffice, store);
	}

	private static void isUp(RunningBoxOffice boxOffice, Store store) {
		assertThat(status(boxOffice, store)).isEqualTo("UP");
		assertThat(boxOffice.scrape()).contains("interlock_connection{state=\"connected\"} 1",
				"interlock_connection{state=\"suspended\"} 0", "interlock_connection{state=\"lost\"} 0");
		boxOffice.client()
			.get()
			.uri("/actuator/locks")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("$.held[?(@.valid == false)]")
			.isEmpty();
	}

	private static String status(RunningBoxOffice boxOffice, Store store) {
		Health health = boxOffice.client()
			.get()
			.uri("/actuator/health/" + ((store == Store.ZOOKEEPER) ? "zookeeper" : "interlock"))
			.exchange()
			.returnResult(Health.class)
			.getResponseBody();
		assertThat(health).isNotNull();
		return health.status();
	}

	private static LockHandle acquire(RunningBoxOffice boxOffice, String name) {
		return boxOffice.bean(LockTemplate.class).acquire(LockRequest.exclusive(name));
	}

	private static void scrape(Timeline timeline, RunningBoxOffice boxOffice, int times) {
		for (int i = 0; i < times; i++) {
			try (LockHandle hold = acquire(boxOffice, "orders")) {
				timeline.scrape();
				assertThat(hold.isValid()).isTrue();
			}
		}
	}

	enum Store {

		ZOOKEEPER {

			@Override
			StoreServer start(Path directory) {
				Server server = Server.standalone(directory, ServerSettings.quick());
				return new StoreServer(server.clientPort(), server::close);
			}

		},

		JDBC {

			@Override
			StoreServer start(Path directory) {
				PostgresServer server = PostgresServer.start();
				return new StoreServer(Integer.parseInt(server.url().replaceFirst("^.*:(\\d+)/.*$", "$1")),
						server::close);
			}

		},

		REDIS {

			@Override
			StoreServer start(Path directory) {
				RedisServer server = RedisServer.start();
				return new StoreServer(server.port(), server::close);
			}

		};

		abstract StoreServer start(Path directory);

	}

	/**
	 * A server of a store.
	 */
	record StoreServer(int port, Runnable end) implements AutoCloseable {

		@Override
		public void close() {
			this.end.run();
		}

	}

	/**
	 * What is read of the answer of health.
	 */
	record Health(String status) {

	}

	/** The job keeps its lock until its next run. */
	@Configuration(proxyBeanMethods = false)
	static class ShortHoldsOnly {

		@Bean
		static BeanDefinitionRegistryPostProcessor withoutSettlements() {
			return (registry) -> registry.removeBeanDefinition("settlementJob");
		}

	}

	@Configuration(proxyBeanMethods = false)
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
