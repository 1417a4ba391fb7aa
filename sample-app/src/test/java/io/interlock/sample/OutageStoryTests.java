package io.interlock.sample;

import java.nio.file.Path;
import java.time.Duration;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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
	void storeIsBackWithTheFirstLockAfterAnOutage(LockStore store) {
		try (LockStore.Running server = store.start(this.directory);
				TcpProxy line = TcpProxy.to(server.port());
				RunningBoxOffice boxOffice = store.open(line, Duration.ofSeconds(6), ShortHoldsOnly.class)) {
			outage(boxOffice, store, line, Duration.ZERO);
			line.heal();
			isBack(boxOffice, store);
		}
	}

	@Deep
	@ParameterizedTest
	@EnumSource
	void alertsAreSilentAfterAnOutageOfEighteenSeconds(LockStore store) throws Exception {
		Promtool.assume();
		try (LockStore.Running server = store.start(this.directory);
				TcpProxy line = TcpProxy.to(server.port());
				RunningBoxOffice boxOffice = store.open(line, Duration.ofSeconds(15), ShortHoldsOnly.class)) {
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

	/** A short hold sees the outage begin, and health tells of it. */
	private static void outage(RunningBoxOffice boxOffice, LockStore store, TcpProxy line, Duration time) {
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

	private static void isBack(RunningBoxOffice boxOffice, LockStore store) {
		try (LockHandle hold = acquire(boxOffice, "orders")) {
			assertThat(hold.isValid()).isTrue();
			isUp(boxOffice, store);
		}
		isUp(boxOffice, store);
	}

	private static void isUp(RunningBoxOffice boxOffice, LockStore store) {
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

	private static String status(RunningBoxOffice boxOffice, LockStore store) {
		Health health = boxOffice.client()
			.get()
			.uri("/actuator/health/" + ((store == LockStore.ZOOKEEPER) ? "zookeeper" : "interlock"))
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

}
