package io.interlock.zookeeper.internal.operator;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.template.LockOperations;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

import static io.interlock.zookeeper.internal.operator.LocksOverHttp.get;
import static io.interlock.zookeeper.internal.operator.LocksOverHttp.list;
import static io.interlock.zookeeper.internal.operator.LocksOverHttp.only;
import static io.interlock.zookeeper.internal.operator.LocksOverHttp.read;
import static io.interlock.zookeeper.internal.operator.LocksOverHttp.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for locks that an operator takes over HTTP, in ZooKeeper and in memory.
 */
@ExtendWith(OutputCaptureExtension.class)
class HoldingOverHttpTests {

	private static final LockRequest ORDERS = LockRequest.exclusive("orders").withKey("42");

	private final LocksOverHttp application;

	HoldingOverHttpTests() throws Exception {
		this.application = new LocksOverHttp();
	}

	@AfterEach
	void close() throws Exception {
		this.application.close();
	}

	@Test
	void operatorHoldsALockAndFreesItByItsToken(CapturedOutput output) {
		run("zookeeper", (context, client) -> {
			LockOperations other = this.application.instance().template();
			Map<String, Object> held = hold(client, "30m", 200);
			assertThat(held).containsEntry("name", "orders")
				.containsEntry("key", "42")
				.containsEntry("heldByOperator", "'alice'");
			assertThat(Instant.parse((String) held.get("keptUntil"))).isAfter(Instant.now().plusSeconds(1000));
			assertThat(other.tryAcquire(ORDERS)).isEmpty();
			await().untilAsserted(
					() -> assertThat(list(only(get(client, "/actuator/locks/cluster/orders?key=42")), "holders"))
						.singleElement()
						.satisfies((holder) -> assertThat(holder).containsKey("keptUntil")
							.containsEntry("heldByOperator", "'alice'")));
			read(client.delete(), "/actuator/locks/cluster/orders?key=42&token=" + token(held), 200);
			try (LockHandle next = other.acquire(ORDERS)) {
				assertThat(next.isValid()).isTrue();
			}
		});
		assertThat(output).containsPattern("action=hold outcome=done lock=\"orders\\[42]\" token=\\d+ by=\"'alice'\"");
	}

	@Test
	void lockOfAnotherInstanceIsLeftAloneAndItsHolderNamed() {
		run("zookeeper", (context, client) -> {
			try (LockHandle held = this.application.instance().template().acquire(ORDERS)) {
				assertThat(hold(client, "30m", 409)).containsEntry("error", "HELD")
					.extractingByKey("message")
					.asString()
					.contains("orders[42]", "test@localhost:1");
				assertThat(held.isValid()).isTrue();
			}
			await().untilAsserted(() -> assertThat(this.application.server().contenders(ORDERS)).isEmpty());
		});
	}

	@Test
	void holdOutlivesTheInstanceThatTookIt() {
		run("zookeeper", (context, client) -> {
			token(hold(client, "30m", 200));
			await().untilAsserted(
					() -> assertThat(list(only(get(client, "/actuator/locks/cluster/orders?key=42")), "holders"))
						.singleElement()
						.satisfies((holder) -> assertThat(holder).containsEntry("kind", "INTERLOCK_KEPT")));
		});
		assertThat(this.application.instance().template().tryAcquire(ORDERS)).isEmpty();
		run("zookeeper", (context, client) -> {
			assertThat(hold(client, "30m", 409)).extractingByKey("message").asString().contains("operator 'alice'");
			Map<String, Object> holder = list(only(get(client, "/actuator/locks/cluster/orders?key=42")), "holders")
				.get(0);
			read(client.delete(), "/actuator/locks/cluster/orders?key=42&token=" + token(holder), 200);
			context.getBean(LockOperations.class).acquire(ORDERS).close();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "memory", "zookeeper" })
	void holdThatIsAskedForIsFreedAndTheAnswerSaysSo(String provider, CapturedOutput output) {
		run(provider, (context, client) -> {
			Map<String, Object> body = Map.of("key", "42", "token", token(hold(client, "30m", 200)));
			Map<String, Object> answer = post(client, "/actuator/locks/cluster/orders", body, 200);
			assertThat(answer).extractingByKey("message").asString().contains("is free").doesNotContain("still holds");
			assertThat(LocksOverHttp.map(answer, "asked")).containsEntry("freed", true);
			context.getBean(LockOperations.class).acquire(ORDERS).close();
			post(client, "/actuator/locks/cluster/orders", body, 409);
			try (LockHandle held = context.getBean(LockOperations.class).acquire(ORDERS)) {
				Map<String, Object> asked = Map.of("key", "42", "token", held.fencingToken());
				assertThat(LocksOverHttp.map(post(client, "/actuator/locks/cluster/orders", asked, 202), "asked"))
					.containsEntry("freed", false);
			}
		});
		assertThat(output).contains("action=request outcome=freed lock=\"orders[42]\"")
			.contains("action=request outcome=done lock=\"orders[42]\"");
	}

	/** Nothing holds it, so nothing is told of a loss. */
	@Test
	void keptLockThatIsDeletedIsToldAsOneThatIsAskedFor() {
		run("zookeeper", (context, client) -> {
			long token = token(hold(client, "30m", 200));
			Map<String, Object> answer = read(client.delete(), "/actuator/locks/cluster/orders?key=42&token=" + token,
					200);
			assertThat(answer).extractingByKey("message")
				.asString()
				.startsWith("It is done")
				.contains("it was kept for a minimum hold time or for an operator")
				.doesNotContain("every thread of that instance");
			assertThat(LocksOverHttp.map(answer, "released")).containsEntry("freed", true).containsEntry("kept", true);
		});
	}

	@Test
	void reasonIsShownInEachViewAndInTheAuditLog(CapturedOutput output) {
		String reason = "Drucker (2) \u00fcber Mittag \"aus\"\n\u20ac";
		String shown = "Drucker (2) \u00fcber Mittag \"aus\"\\u000a\u20ac";
		run("zookeeper", (context, client) -> {
			Map<String, Object> body = Map.of("key", "42", "hold", "30m", "reason", reason);
			post(client, "/actuator/locks/orders", body, 200);
			assertThat(list(get(client, "/actuator/locks"), "held")).singleElement()
				.satisfies((held) -> assertThat(held).containsEntry("reason", shown)
					.containsEntry("heldByOperator", "'alice'"));
			assertThat(list(only(get(client, "/actuator/locks/cluster/orders?key=42")), "holders")).singleElement()
				.satisfies((holder) -> assertThat(holder).containsEntry("reason", shown)
					.containsEntry("heldByOperator", "'alice'"));
			assertThat(hold(client, "30m", 409)).extractingByKey("message")
				.asString()
				.contains("operator 'alice' (reason: " + shown + ")");
			Map<String, Object> tooLong = Map.of("hold", "30m", "reason", "r".repeat(121));
			assertThat(post(client, "/actuator/locks/stock", tooLong, 400)).extractingByKey("message")
				.asString()
				.contains("'reason'", "120");
			Map<String, Object> asks = Map.of("token", 1, "reason", "please");
			assertThat(post(client, "/actuator/locks/cluster/orders", asks, 400)).extractingByKey("message")
				.asString()
				.contains("'reason'");
		});
		assertThat(output)
			.contains("time=\"PT30M\" reason=\"Drucker (2) \u00fcber Mittag \\\"aus\\\"\\\\u000a\u20ac\"");
	}

	@Test
	void holdOfAnInstanceThatHasStoppedIsFreedWhenItIsAskedFor() {
		run("zookeeper", (context, client) -> token(hold(client, "30m", 200)));
		run("zookeeper", (context, client) -> {
			Map<String, Object> holder = list(only(get(client, "/actuator/locks/cluster/orders?key=42")), "holders")
				.get(0);
			post(client, "/actuator/locks/cluster/orders", Map.of("key", "42", "token", token(holder)), 200);
			assertThat(this.application.instance().template().tryAcquire(ORDERS)).hasValueSatisfying(LockHandle::close);
		});
	}

	@Test
	void lockInMemoryIsHeldAndFreedInTheSameWay() {
		run("memory", (context, client) -> {
			Map<String, Object> held = hold(client, "30m", 200);
			assertThat(list(get(client, "/actuator/locks"), "held")).singleElement()
				.satisfies(
						(lock) -> assertThat(lock).containsKey("keptUntil").containsEntry("heldByOperator", "'alice'"));
			assertThat(hold(client, "30m", 409)).containsEntry("error", "HELD")
				.extractingByKey("message")
				.asString()
				.contains("operator 'alice' until");
			String uri = "/actuator/locks/cluster/orders?key=42&token=";
			read(client.delete(), uri + (token(held) - 1), 409);
			assertThat(context.getBean(LockOperations.class).tryAcquire(ORDERS)).isEmpty();
			read(client.delete(), uri + token(held), 200);
			context.getBean(LockOperations.class).acquire(ORDERS).close();
			client.get().uri("/actuator/locks/cluster").exchange().expectStatus().isEqualTo(501);
		});
	}

	@Test
	void holderOfThisInstanceIsAskedButNotForced() {
		run("memory", (context, client) -> {
			try (LockHandle held = context.getBean(LockOperations.class).acquire(ORDERS)) {
				String uri = "/actuator/locks/cluster/orders?key=42&token=" + held.fencingToken();
				read(client.delete(), uri, 409);
				assertThat(held.isValid()).isTrue();
				assertThat(hold(client, "30m", 409)).extractingByKey("message").asString().contains("thread '");
			}
			assertThat(list(get(client, "/actuator/locks"), "held")).isEmpty();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "-5m", "0", "0s", "8d", "30", "soon", "", "PT", "forever" })
	void badDurationIsRefusedByName(String hold) {
		run("memory",
				(context, client) -> assertThat(hold(client, hold, 400)).extractingByKey("message")
					.asString()
					.contains("'hold'"));
	}

	@Test
	void nothingIsHeldUnlessBothSwitchesAreOn() {
		LocksOverHttp.run(this.application.contextRunner().withPropertyValues("interlock.admin.enabled=true"),
				(context, client) -> ask(client, "30m").expectStatus().isEqualTo(405));
		LocksOverHttp.run(
				this.application.contextRunner().withPropertyValues("management.endpoint.locks.access=UNRESTRICTED"),
				(context, client) -> assertThat(hold(client, "30m", 501)).containsEntry("error", "NOT_ENABLED")
					.extractingByKey("message")
					.asString()
					.contains("interlock.admin.enabled=true"));
	}

	@Test
	void nameInTheBodyDoesNotReplaceThatOfThePath() {
		run("memory", (context, client) -> {
			Map<String, Object> refused = post(client, "/actuator/locks/orders",
					Map.of("name", "settlement", "hold", "30m"), 400);
			assertThat(refused).extractingByKey("message").asString().contains("'orders'", "'settlement'");
			assertThat(list(get(client, "/actuator/locks"), "held")).isEmpty();
			try (LockHandle held = context.getBean(LockOperations.class).acquire(LockRequest.exclusive("orders"))) {
				Map<String, Object> other = Map.of("name", "settlement", "token", held.fencingToken());
				client.post()
					.uri("/actuator/locks/cluster/orders")
					.contentType(MediaType.APPLICATION_JSON)
					.body(other)
					.exchange()
					.expectStatus()
					.isBadRequest();
				Map<String, Object> body = Map.of("name", "orders", "token", held.fencingToken());
				assertThat(post(client, "/actuator/locks/cluster/orders", body, 202)).extractingByKey("asked")
					.asString()
					.contains("orders")
					.doesNotContain("settlement");
			}
		});
	}

	@Test
	void nameWithASlashIsHeldAndFreed() {
		run("memory", (context, client) -> {
			LockRequest prices = LockRequest.exclusive("price/list");
			Map<String, Object> held = post(client, "/actuator/locks/-?name=price/list", Map.of("hold", "30m"), 200);
			assertThat(held).containsEntry("name", "price/list");
			assertThat(context.getBean(LockOperations.class).tryAcquire(prices)).isEmpty();
			read(client.delete(), "/actuator/locks/cluster?name=price/list&token=" + token(held), 200);
			context.getBean(LockOperations.class).acquire(prices).close();
		});
	}

	@Test
	void lockOfANamedProviderIsHeldAndFreed() {
		LocksOverHttp.run(this.application.contextRunner()
			.withBean(FreeingOverHttpTests.SignedIn.class)
			.withPropertyValues("interlock.provider=memory", "interlock.providers.billing.provider=memory",
					"interlock.admin.enabled=true", "management.endpoint.locks.access=UNRESTRICTED",
					"interlock.shutdown-timeout=1s"),
				(context, client) -> {
					LockOperations locks = context.getBean(LockOperations.class);
					LockRequest billed = LockRequest.exclusive("orders").withProvider("billing");
					Map<String, Object> held = post(client, "/actuator/locks/orders?provider=billing",
							Map.of("hold", "30m"), 200);
					assertThat(held).containsEntry("provider", "billing");
					locks.acquire(LockRequest.exclusive("orders")).close();
					assertThat(locks.tryAcquire(billed)).isEmpty();
					String uri = "/actuator/locks/cluster/orders?token=" + token(held);
					read(client.delete(), uri, 409);
					read(client.delete(), uri + "&provider=billing", 200);
					locks.acquire(billed).close();
					assertThat(post(client, "/actuator/locks/orders?provider=biling", Map.of("hold", "30m"), 400))
						.extractingByKey("message")
						.asString()
						.contains("Did you mean 'billing'? Defined besides the default one: [billing]. To define a "
								+ "new one, set interlock.providers.<name>.provider");
				});
	}

	private void run(String provider, BiConsumer<ApplicationContext, RestTestClient> test) {
		WebApplicationContextRunner runner = this.application.contextRunner()
			.withBean(FreeingOverHttpTests.SignedIn.class)
			.withPropertyValues("interlock.provider=" + provider, "interlock.admin.enabled=true",
					"management.endpoint.locks.access=UNRESTRICTED", "interlock.shutdown-timeout=1s");
		LocksOverHttp.run(runner, test);
	}

	private static Map<String, Object> hold(RestTestClient client, String time, int status) {
		return LocksOverHttp
			.parse(ask(client, time).expectStatus().isEqualTo(status).expectBody().returnResult().getResponseBody());
	}

	private static Map<String, Object> post(RestTestClient client, String uri, Map<String, Object> body, int status) {
		return LocksOverHttp.parse(client.post()
			.uri(uri)
			.contentType(MediaType.APPLICATION_JSON)
			.body(body)
			.exchange()
			.expectStatus()
			.isEqualTo(status)
			.expectBody()
			.returnResult()
			.getResponseBody());
	}

	private static RestTestClient.ResponseSpec ask(RestTestClient client, String time) {
		return client.post()
			.uri("/actuator/locks/orders")
			.contentType(MediaType.APPLICATION_JSON)
			.body(Map.of("key", "42", "hold", time))
			.exchange();
	}

}
