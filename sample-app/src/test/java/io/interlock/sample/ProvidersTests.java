package io.interlock.sample;

import java.util.List;
import java.util.stream.Stream;

import io.interlock.LockRequest;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.CuratorAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;
import io.interlock.jdbc.autoconfigure.JdbcLockAutoConfiguration;
import io.interlock.redis.autoconfigure.RedisLockAutoConfiguration;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.redis.RedisServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the box office with its locks elsewhere than in ZooKeeper.
 */
class ProvidersTests {

	@Test
	void sellsEverySeatOnceWithLocksInMemory() {
		try (RunningBoxOffice boxOffice = RunningBoxOffice.first(List.of("--interlock.provider=memory"))) {
			sellsEverySeatOnce(boxOffice.client(), boxOffice);
			assertThat(joinCommand(boxOffice)).isNull();
		}
	}

	@Test
	void sellsEverySeatOnceWithLocksInItsDatabase() {
		sellsEverySeatOnceOnTwoInstances("--interlock.provider=jdbc");
	}

	@Test
	void sellsEverySeatOnceWithLocksInRedis() {
		try (RedisServer redis = RedisServer.start()) {
			sellsEverySeatOnceOnTwoInstances("--interlock.provider=redis", "--spring.data.redis.port=" + redis.port());
		}
	}

	@Test
	void severalStoresOnTheClassPathNeedTheProperty() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(CuratorAutoConfiguration.class, JdbcLockAutoConfiguration.class,
					RedisLockAutoConfiguration.class, InterlockAutoConfiguration.class,
					ZooKeeperLockAutoConfiguration.class))
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("Set interlock.provider to one of zookeeper, jdbc, redis"));
	}

	private static @Nullable String joinCommand(RunningBoxOffice boxOffice) {
		Join board = boxOffice.client().get().uri("/demo/live").exchange().returnResult(Join.class).getResponseBody();
		assertThat(board).isNotNull();
		return board.joinCommand();
	}

	private static void sellsEverySeatOnceOnTwoInstances(String... arguments) {
		try (RunningBoxOffice first = RunningBoxOffice.first(List.of(arguments));
				RunningBoxOffice second = first.joined()) {
			sellsEverySeatOnce(first.client(), first, second);
			// The release of the rush was sent, and may not have arrived.
			second.bean(LockTemplate.class).acquire(LockRequest.exclusive("rush")).close();
			sellsEverySeatOnce(second.client(), first, second);
			assertThat(joinCommand(first))
				.endsWith("-Dspring-boot.run.profiles=join -Dspring-boot.run.arguments=" + arguments[0]);
		}
	}

	private static void sellsEverySeatOnce(RestTestClient client, RunningBoxOffice... instances) {
		// Locks in memory are those of one instance, and no operator frees them.
		boolean faults = instances.length > 1;
		RushReply rush = RushReply.of(client, 1, 200);
		assertThat(rush.sold()).isEqualTo(100);
		assertThat(rush.oversold()).isZero();
		assertThat(rush.doubleBooked()).isZero();
		assertThat(rush.instances()).extracting(RushReply.Share::instance)
			.containsExactlyInAnyOrderElementsOf(Stream.of(instances).map(RunningBoxOffice::name).toList());
		assertThat(rush.instances()).allSatisfy((share) -> {
			assertThat(share.locking()).isTrue();
			assertThat(share.busy()).isZero();
			assertThat(share.failed()).isZero();
		});
		client.get().uri("/actuator/health").exchange().expectStatus().isOk();
		client.get()
			.uri("/demo/live")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("$.controls")
			.isEqualTo(true)
			.jsonPath("$.faults")
			.isEqualTo(faults)
			.jsonPath("$.instances.length()")
			.isEqualTo(instances.length);
	}

	/**
	 * What starts a further instance.
	 */
	record Join(@Nullable String joinCommand) {

	}

}
