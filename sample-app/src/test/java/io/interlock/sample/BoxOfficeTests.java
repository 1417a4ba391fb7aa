package io.interlock.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.template.LockTemplate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the box office with one instance.
 */
class BoxOfficeTests {

	private static RunningBoxOffice boxOffice;

	private static RestTestClient client;

	@BeforeAll
	static void open() {
		boxOffice = RunningBoxOffice.first(List.of());
		client = boxOffice.client();
	}

	@AfterAll
	static void close() {
		boxOffice.close();
	}

	@Test
	void listsTheEvents() {
		client.get()
			.uri("/events")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("$.length()")
			.isEqualTo(3)
			.jsonPath("$[0].title")
			.isEqualTo("The Deadlock Quartet");
	}

	@Test
	void sellsTheNextSeat() {
		rush(2, 1);
		sell(2, "Ada").expectStatus()
			.isCreated()
			.expectBody()
			.jsonPath("$.seat")
			.isEqualTo(2)
			.jsonPath("$.buyer")
			.isEqualTo("Ada")
			.jsonPath("$.soldBy")
			.isEqualTo(boxOffice.name());
		client.get().uri("/events/2").exchange().expectBody().jsonPath("$.seatsLeft").isEqualTo(38);
	}

	@Test
	void sellsEverySeatOnceDuringARush() {
		RushReply rush = rush(1, 200);
		assertThat(rush.sold()).isEqualTo(100);
		assertThat(rush.oversold()).isZero();
		assertThat(rush.doubleBooked()).isZero();
		assertThat(rush.instances()).singleElement()
			.isEqualTo(new RushReply.Share(boxOffice.name(), true, 200, 100, 100, 0, 0));
	}

	@Test
	void countsGrantsAndHandOffsOfARush() {
		RushReply rush = rush(6, 500);
		assertThat(rush.sold()).isEqualTo(500);
		assertThat(rush.grants()).isPositive();
		assertThat(rush.grants() + rush.handoffs()).isEqualTo(500);
	}

	@Test
	void tellsWhichInstanceSoldWhichSeat() {
		rush(2, 2);
		client.get()
			.uri("/events/2/seats")
			.exchange()
			.expectBody()
			.jsonPath("$[*].seat")
			.isEqualTo(List.of(1, 2))
			.jsonPath("$[0].soldBy")
			.isEqualTo(boxOffice.name());
	}

	@ParameterizedTest
	@ValueSource(strings = { "501ms", "-1ms" })
	void refusesARushWithImpossiblePayments(String payment) {
		client.post()
			.uri("/demo/rush")
			.contentType(MediaType.APPLICATION_JSON)
			.body(Map.of("payment", payment))
			.exchange()
			.expectStatus()
			.isBadRequest()
			.expectBody()
			.jsonPath("$.detail")
			.isEqualTo("'payment' must be between 0 and 500 ms");
	}

	@Test
	void answersConflictWhenSoldOut() {
		rush(2, 40);
		sell(2, "Too Late").expectStatus()
			.isEqualTo(HttpStatus.CONFLICT)
			.expectHeader()
			.contentType(MediaType.APPLICATION_PROBLEM_JSON)
			.expectBody()
			.jsonPath("$.title")
			.isEqualTo("Sold out")
			.jsonPath("$.detail")
			.isEqualTo("All 40 seats of 'An Evening with the Byzantine Generals' are sold");
	}

	@Test
	void sellsAtTheNewPriceAfterAPriceChange() {
		rush(3, 1);
		changePrice(3, "31.50").expectStatus().isOk().expectBody().jsonPath("$.price").isEqualTo(31.50);
		sell(3, "Grace").expectBody().jsonPath("$.price").isEqualTo(31.50);
		changePrice(3, "28.00").expectStatus().isOk();
	}

	@Test
	void reportsWhatWasSold() {
		rush(3, 10);
		client.get()
			.uri("/events/3/report")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("$.sold")
			.isEqualTo(10)
			.jsonPath("$.seatsLeft")
			.isEqualTo(240)
			.jsonPath("$.revenue")
			.isEqualTo(280.00)
			.jsonPath("$.consistent")
			.isEqualTo(true);
	}

	@ParameterizedTest
	@ValueSource(strings = { "0", "-5", "2001" })
	void refusesARushWithTooFewOrTooManyBuyers(String buyers) {
		client.post()
			.uri("/demo/rush")
			.contentType(MediaType.APPLICATION_JSON)
			.body("{\"buyers\":%s}".formatted(buyers))
			.exchange()
			.expectStatus()
			.isBadRequest()
			.expectBody()
			.jsonPath("$.detail")
			.isEqualTo("'buyers' must be between 1 and 2000, but was " + buyers);
	}

	@Test
	void refusesARushThatAFormSends() {
		client.post()
			.uri("/demo/rush?buyers=1")
			.contentType(MediaType.APPLICATION_FORM_URLENCODED)
			.body("buyers=1")
			.exchange()
			.expectStatus()
			.isEqualTo(HttpStatus.UNSUPPORTED_MEDIA_TYPE);
		client.post().uri("/demo/rush?buyers=1").exchange().expectStatus().isEqualTo(HttpStatus.UNSUPPORTED_MEDIA_TYPE);
	}

	@ParameterizedTest
	@CsvSource({ "http://evil.example, ", "null, ", "http://localhost:1, ",
			"http://rebound.example:8080, rebound.example:8080" })
	void refusesChangesFromPagesOfOtherOrigins(String origin, @Nullable String host) {
		assertThat(status(origin, (host != null) ? host : boxOffice.name())).isEqualTo(403);
	}

	@Test
	void takesChangesFromItsOwnPage() {
		assertThat(status("http://" + boxOffice.name(), boxOffice.name())).isEqualTo(200);
	}

	/**
	 * Start a rush as a browser does: the JDK's own client does not let the host be set.
	 */
	private static int status(String origin, String host) {
		int port = Integer.parseInt(boxOffice.name().substring("localhost:".length()));
		byte[] body = "{\"eventId\":2,\"buyers\":1}".getBytes(StandardCharsets.US_ASCII);
		try (Socket socket = new Socket("localhost", port)) {
			socket.getOutputStream()
				.write(("POST /demo/rush HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nContent-Type: application/json\r\n"
						+ "Content-Length: %d\r\nConnection: close\r\n\r\n")
					.formatted(host, origin, body.length)
					.getBytes(StandardCharsets.US_ASCII));
			socket.getOutputStream().write(body);
			String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			return Integer.parseInt(answer.substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length()));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Test
	void refusesARushWithoutANumberOfBuyers() {
		client.post()
			.uri("/demo/rush")
			.contentType(MediaType.APPLICATION_JSON)
			.body("{\"buyers\":\"many\"}")
			.exchange()
			.expectStatus()
			.isBadRequest()
			.expectHeader()
			.contentType(MediaType.APPLICATION_PROBLEM_JSON);
	}

	@Test
	void answersConflictWhileAnotherRushRuns() {
		try (LockHandle lock = boxOffice.bean(LockTemplate.class).acquire(LockRequest.exclusive("rush"))) {
			client.post()
				.uri("/demo/rush")
				.contentType(MediaType.APPLICATION_JSON)
				.body(Map.of("buyers", 10))
				.exchange()
				.expectStatus()
				.isEqualTo(HttpStatus.CONFLICT)
				.expectHeader()
				.valueEquals(HttpHeaders.RETRY_AFTER, "1")
				.expectBody()
				.jsonPath("$.title")
				.isEqualTo("Busy");
			assertThat(lock.isValid()).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "{}", "{\"buyer\":\" \"}", "buyer" })
	void refusesASaleWithoutABuyer(String body) {
		client.post()
			.uri("/events/1/sales")
			.contentType(MediaType.APPLICATION_JSON)
			.body(body)
			.exchange()
			.expectStatus()
			.isBadRequest();
	}

	@ParameterizedTest
	@ValueSource(strings = { "0", "-1", "1.001", "10000" })
	void refusesAnImpossiblePrice(String price) {
		changePrice(1, price).expectStatus()
			.isBadRequest()
			.expectBody()
			.jsonPath("$.detail")
			.isEqualTo("'price' must be between 0.01 and 9999.99, with at most two decimals");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/events/99", "/events/99/report", "/events/99/seats" })
	void answersNotFoundWithoutSuchAnEvent(String path) {
		client.get()
			.uri(path)
			.exchange()
			.expectStatus()
			.isNotFound()
			.expectBody()
			.jsonPath("$.detail")
			.isEqualTo("There is no event 99");
	}

	@Test
	void answersNotFoundForARushOnNoSuchEvent() {
		client.post()
			.uri("/demo/rush")
			.contentType(MediaType.APPLICATION_JSON)
			.body(Map.of("eventId", 99))
			.exchange()
			.expectStatus()
			.isNotFound();
	}

	@Test
	void servesTheStartPage() {
		client.get()
			.uri("/")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody(String.class)
			.value((page) -> assertThat(page).contains("Start the rush", "css/page.css", "js/main.js"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/actuator/locksconsole/base.css", "/css/page.css", "/actuator/locksconsole/picture.css",
			"/js/main.js", "/js/model.js", "/actuator/locksconsole/queue-picture.js", "/favicon.svg", "/actuator/locks",
			"/actuator/health", "/actuator/prometheus" })
	void servesWhatTheStartPageNeeds(String path) {
		client.get().uri(path).exchange().expectStatus().isOk();
	}

	private static RushReply rush(long eventId, int buyers) {
		return RushReply.of(client, eventId, buyers);
	}

	private static RestTestClient.ResponseSpec sell(long eventId, String buyer) {
		return client.post()
			.uri("/events/{eventId}/sales", eventId)
			.contentType(MediaType.APPLICATION_JSON)
			.body(Map.of("buyer", buyer))
			.exchange();
	}

	private static RestTestClient.ResponseSpec changePrice(long eventId, String price) {
		return client.put()
			.uri("/events/{eventId}/price", eventId)
			.contentType(MediaType.APPLICATION_JSON)
			.body("{\"price\":%s}".formatted(price))
			.exchange();
	}

}
