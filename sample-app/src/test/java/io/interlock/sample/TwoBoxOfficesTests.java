package io.interlock.sample;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.list;
import static org.awaitility.Awaitility.await;

/**
 * Tests for two instances with one ZooKeeper and one database.
 */
class TwoBoxOfficesTests {

	private static RunningBoxOffice first;

	private static RunningBoxOffice second;

	@BeforeAll
	static void open() {
		first = RunningBoxOffice.first(List.of("--sample.settlement.interval=1h"));
		await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> settledOnce(first));
		second = first.joined();
	}

	private static void settledOnce(RunningBoxOffice boxOffice) {
		boxOffice.client().get().uri("/settlement").exchange().expectBody().jsonPath("$.runs").isEqualTo(1);
	}

	@AfterAll
	static void close() {
		second.close();
		first.close();
	}

	@Test
	void bothInstancesAreKnownToBoth() {
		for (RunningBoxOffice boxOffice : List.of(first, second)) {
			boxOffice.client()
				.get()
				.uri("/instances")
				.exchange()
				.expectBody()
				.jsonPath("$.answeredBy")
				.isEqualTo(boxOffice.name())
				.jsonPath("$.instances[*].name")
				.value((names) -> assertThat(names).asInstanceOf(list(String.class))
					.containsExactlyInAnyOrder(first.name(), second.name()));
		}
	}

	@Test
	void sellEverySeatOnceDuringARush() {
		// It takes five seconds, so that an instance which begins late finds seats.
		RushReply rush = RushReply.of(second.client(), 1, 200, "50ms");
		assertThat(rush.sold()).isEqualTo(100);
		assertThat(rush.oversold()).isZero();
		assertThat(rush.doubleBooked()).isZero();
		assertThat(rush.instances()).extracting(RushReply.Share::instance)
			.containsExactlyInAnyOrder(first.name(), second.name());
		assertThat(rush.instances()).allSatisfy((share) -> {
			assertThat(share.buyers()).isEqualTo(100);
			assertThat(share.sold()).isPositive();
			assertThat(share.busy()).isZero();
			assertThat(share.failed()).isZero();
		});
	}

	@Test
	void onlyOneOfThemSettles() {
		second.client()
			.get()
			.uri("/settlement")
			.exchange()
			.expectBody()
			.jsonPath("$.runs")
			.isEqualTo(1)
			.jsonPath("$.instance")
			.isEqualTo(first.name());
	}

}
