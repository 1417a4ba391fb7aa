package io.interlock.zookeeper.internal.operator;

import java.util.Map;
import java.util.function.BiConsumer;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.template.LockOperations;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A request of an operator that is refused has an answer that says what was wrong.
 */
class RefusalsOverHttpTests {

	private final LocksOverHttp application;

	RefusalsOverHttpTests() throws Exception {
		this.application = new LocksOverHttp();
	}

	@AfterEach
	void close() throws Exception {
		this.application.close();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "GET | ?limit=-1 | 'limit'", "GET | ?limit=many | 'limit'",
			"GET | ?stacks=maybe | 'stacks'", "GET | /cluster?limit=0 | 'limit'", "GET | /cluster?limit=x | 'limit'",
			"GET | /cluster?offset=-1 | 'offset'", "GET | /cluster?offset=x | 'offset'",
			"GET | /cluster?queueLimit=x | 'queueLimit'", "GET | /cluster?busy=maybe | 'busy'",
			"GET | /cluster?key=1 | 'key'", "GET | /cluster/orders?key=%20 | 'key'",
			"GET | /cluster?provider=biling | Did you mean 'billing'?",
			"GET | /cluster/orders?provider=biling | Did you mean 'billing'?", "DELETE | /cluster/orders | 'token'",
			"DELETE | /cluster/orders?token=x | 'token'", "DELETE | /cluster/orders?token=1&key=%20 | 'key'",
			"DELETE | /cluster?token=1 | 'name'", "DELETE | /cluster/orders?token=1&name=other | 'other'",
			"DELETE | /cluster/orders?token=1&provider=biling | Did you mean 'billing'?",
			"POST | /cluster/orders | 'token'", "POST | /cluster/orders?token=x | 'token'",
			"POST | /cluster/orders?token=1&handoff=x | 'handoff'",
			"POST | /cluster/orders?token=1&name=other | 'other'", "POST | /cluster/orders?token=1&key=%20 | 'key'",
			"POST | /cluster/orders?token=1&provider=biling | Did you mean 'billing'?", "POST | /orders | 'hold'",
			"POST | /orders?hold=1m&provider=biling | Did you mean 'billing'?", "POST | ?hold=1m | lock",
			"POST | /-?hold=1m | 'name'", "POST | /cluster/-?token=1 | 'name'", "DELETE | /cluster/-?token=1 | 'name'",
			"DELETE | /orders?token=1 | DELETE /actuator/locks/cluster/orders",
			"DELETE | /orders?token=1&name=orders | DELETE /actuator/locks/cluster/orders",
			"DELETE | /-?token=1&name=price/list | DELETE /actuator/locks/cluster/-?name=price/list" })
	void badParameterIsNamed(HttpMethod method, String request, String named) {
		run("UNRESTRICTED", true,
				(context, client) -> assertThat(answer(client, method, request, Map.of(), 400))
					.containsEntry("error", "INVALID")
					.extractingByKey("message")
					.asString()
					.contains(named));
	}

	@ParameterizedTest
	@CsvSource({ "GET, /clster", "GET, /clster/orders", "DELETE, /clster/orders?token=1",
			"POST, /clster/orders?token=1" })
	void misspelledViewHasANearestOne(HttpMethod method, String request) {
		run("UNRESTRICTED", true,
				(context, client) -> assertThat(answer(client, method, request, Map.of(), 404))
					.containsEntry("error", "NOT_FOUND")
					.extractingByKey("message")
					.asString()
					.contains("'clster'", "Did you mean 'cluster'?"));
	}

	@ParameterizedTest
	@CsvSource({ "POST, /orders", "POST, /cluster/orders", "DELETE, /cluster/orders?token=1",
			"DELETE, /cluster?name=price/list&token=1" })
	void missingPropertyIsNamed(HttpMethod method, String request) {
		run("UNRESTRICTED", false,
				(context, client) -> assertThat(answer(client, method, request, Map.of(), 501))
					.containsEntry("error", "NOT_ENABLED")
					.extractingByKey("message")
					.asString()
					.contains("interlock.admin.enabled=true"));
	}

	@Test
	void noParameterReplacesTheLockOfThePath() {
		run("UNRESTRICTED", true, (context, client) -> {
			LockOperations locks = context.getBean(LockOperations.class);
			for (String other : new String[] { "lock", "path", "name" }) {
				Map<String, Object> body = Map.of(other, "settlement", "hold", "30m");
				assertThat(answer(client, HttpMethod.POST, "/orders", body, 400)).extractingByKey("message")
					.asString()
					.contains('\'' + other + '\'');
				answer(client, HttpMethod.POST, "/orders?hold=30m&" + other + "=settlement", Map.of(), 400);
			}
			assertThat(LocksOverHttp.list(LocksOverHttp.get(client, "/actuator/locks"), "held")).isEmpty();
			try (LockHandle held = locks.acquire(LockRequest.exclusive("settlement"))) {
				String token = "token=" + held.fencingToken();
				for (String other : new String[] { "lock", "path", "name" }) {
					answer(client, HttpMethod.POST, "/cluster/orders?" + token, Map.of(other, "settlement"), 400);
					answer(client, HttpMethod.DELETE, "/cluster/orders?" + token + "&" + other + "=settlement",
							Map.of(), 400);
				}
				answer(client, HttpMethod.POST, "/elsewhere/settlement?" + token, Map.of(), 404);
				answer(client, HttpMethod.POST, "/elsewhere/settlement?" + token + "&view=cluster", Map.of(), 400);
				assertThat(held.isValid()).isTrue();
			}
			assertThat(answer(client, HttpMethod.POST, "/café 1", Map.of("hold", "30m"), 200)).containsEntry("name",
					"café 1");
		});
	}

	@ParameterizedTest
	@CsvSource({ "POST, /orders, keey, Did you mean 'key'?", "POST, /orders?keey=1, hold, Did you mean 'key'?",
			"POST, /orders, until, 'hold'", "POST, /cluster/orders?token=1, hand-off, Did you mean 'handoff'?",
			"POST, /orders, securityContext, 'securityContext'",
			"DELETE, /cluster/orders?token=1&keey=1, key, Did you mean 'key'?" })
	void parameterThatDoesNotExistIsRefusedWithTheNearestOne(HttpMethod method, String request, String field,
			String nearest) {
		run("UNRESTRICTED", true, (context, client) -> {
			Map<String, Object> body = field.equals("hold") ? Map.of("hold", "10m") : Map.of("hold", "10m", field, "1");
			assertThat(answer(client, method, request, body, 400)).containsEntry("error", "INVALID")
				.extractingByKey("message")
				.asString()
				.contains(nearest);
			assertThat(LocksOverHttp.list(LocksOverHttp.get(client, "/actuator/locks"), "held")).isEmpty();
		});
	}

	@ParameterizedTest
	@CsvSource({ "/orders?hold=10m, token, /cluster/orders", "/orders?hold=10m, handoff, /cluster/orders",
			"/cluster/orders?token=1, hold, POST /actuator/locks/orders" })
	void parameterOfTheOtherOperationIsRefused(String request, String field, String remedy) {
		run("UNRESTRICTED", true, (context, client) -> {
			assertThat(answer(client, HttpMethod.POST, request, Map.of(field, "1"), 400)).extractingByKey("message")
				.asString()
				.contains('\'' + field + '\'', remedy);
			assertThat(LocksOverHttp.list(LocksOverHttp.get(client, "/actuator/locks"), "held")).isEmpty();
		});
	}

	@Test
	void parametersThatSpringSecurityReadsAreLeftToIt() {
		run("UNRESTRICTED", true,
				(context, client) -> assertThat(
						answer(client, HttpMethod.POST, "/orders?_csrf=x&access_token=y", Map.of("hold", "30m"), 200))
					.containsEntry("name", "orders"));
	}

	private void run(String access, boolean enabled, BiConsumer<ApplicationContext, RestTestClient> test) {
		LocksOverHttp.run(this.application.contextRunner()
			.withBean(FreeingOverHttpTests.SignedIn.class)
			.withPropertyValues("interlock.provider=memory", "interlock.providers.billing.provider=memory",
					"interlock.admin.enabled=" + enabled, "management.endpoint.locks.access=" + access,
					"interlock.shutdown-timeout=1s"),
				test);
	}

	private static Map<String, Object> answer(RestTestClient client, HttpMethod method, String request,
			Map<String, Object> body, int status) {
		return LocksOverHttp.parse(client.method(method)
			.uri("/actuator/locks" + request.replace("%20", " "))
			.contentType(MediaType.APPLICATION_JSON)
			.body(body)
			.exchange()
			.expectStatus()
			.isEqualTo(status)
			.expectBody()
			.returnResult()
			.getResponseBody());
	}

}
