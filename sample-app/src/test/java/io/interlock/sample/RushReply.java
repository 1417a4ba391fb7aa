package io.interlock.sample;

import java.util.List;
import java.util.Map;

import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a client reads from the answer to a rush.
 *
 * @param seats how many seats there are
 * @param sold how many tickets there are
 * @param oversold how many tickets there are too many
 * @param doubleBooked how many tickets are for a seat that was sold before
 * @param grants how often ZooKeeper granted the lock
 * @param handoffs how often a thread handed it to the next one
 * @param instances what the buyers of each instance got
 */
record RushReply(int seats, int sold, int oversold, int doubleBooked, long grants, long handoffs,
		List<Share> instances) {

	static RushReply of(RestTestClient client, long eventId, int buyers) {
		return of(client, Map.of("eventId", eventId, "buyers", buyers));
	}

	static RushReply of(RestTestClient client, long eventId, int buyers, String payment) {
		return of(client, Map.of("eventId", eventId, "buyers", buyers, "payment", payment));
	}

	private static RushReply of(RestTestClient client, Map<String, Object> rush) {
		RushReply reply = client.post()
			.uri("/demo/rush")
			.contentType(MediaType.APPLICATION_JSON)
			.body(rush)
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody(RushReply.class)
			.returnResult()
			.getResponseBody();
		assertThat(reply).isNotNull();
		return reply;
	}

	record Share(String instance, boolean locking, int buyers, int sold, int soldOut, int busy, int failed) {

	}

}
