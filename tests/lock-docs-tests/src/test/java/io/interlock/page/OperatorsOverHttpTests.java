package io.interlock.page;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.LocksEndpointAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.CuratorAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;
import io.interlock.jdbc.autoconfigure.JdbcLockAutoConfiguration;
import io.interlock.template.LockTemplate;
import org.apache.curator.test.TestingServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jackson.JacksonEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.servlet.autoconfigure.actuate.web.ServletManagementContextAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What operators see and do over HTTP at one instance about the locks of another one, in
 * a database and on ZooKeeper: the same answers.
 */
class OperatorsOverHttpTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final Pattern LAST_TWO = Pattern.compile(".*\\.(\\w+\\.\\w+)");

	private static final String CLUSTER = "/actuator/locks/cluster";

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner(
			AnnotationConfigServletWebServerApplicationContext::new)
		.withConfiguration(AutoConfigurations.of(TomcatServletWebServerAutoConfiguration.class,
				DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class, JacksonAutoConfiguration.class,
				HttpMessageConvertersAutoConfiguration.class, EndpointAutoConfiguration.class,
				WebEndpointAutoConfiguration.class, JacksonEndpointAutoConfiguration.class,
				ManagementContextAutoConfiguration.class, ServletManagementContextAutoConfiguration.class,
				InterlockAutoConfiguration.class, ZooKeeperLockAutoConfiguration.class,
				LocksEndpointAutoConfiguration.class))
		.withPropertyValues("server.port=0", "management.endpoints.web.exposure.include=locks",
				"management.endpoint.locks.access=UNRESTRICTED", "interlock.admin.enabled=true",
				"spring.application.name=shop");

	private final WebApplicationContextRunner inDatabase = this.runner
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, JdbcLockAutoConfiguration.class))
		.withPropertyValues("interlock.provider=jdbc", "interlock.jdbc.lease=6s",
				"spring.datasource.url=jdbc:h2:mem:operators;DB_CLOSE_DELAY=-1",
				"interlock.providers.billing.provider=jdbc", "interlock.providers.billing.lease=6s",
				"interlock.providers.billing.table-prefix=billing_");

	private WebApplicationContextRunner onZooKeeper(TestingServer server) {
		return this.runner.withConfiguration(AutoConfigurations.of(CuratorAutoConfiguration.class))
			.withPropertyValues("interlock.provider=zookeeper",
					"interlock.zookeeper.connect-string=" + server.getConnectString(),
					"interlock.providers.billing.provider=zookeeper",
					"interlock.providers.billing.connect-string=" + server.getConnectString(),
					"interlock.providers.billing.root-path=/billing", "interlock.zookeeper.operator-timeout=20s",
					"interlock.providers.billing.operator-timeout=20s");
	}

	@Test
	void operatorsSeeAndDoTheSameInADatabase() throws Exception {
		Map<String, Set<String>> inDatabase = answers(this.inDatabase);
		try (TestingServer server = new TestingServer()) {
			Map<String, Set<String>> onZooKeeper = answers(onZooKeeper(server));
			assertThat(inDatabase).containsOnlyKeys(onZooKeeper.keySet());
			assertThat(without(onZooKeeper, inDatabase)).as("record and session of a node")
				.containsOnly("owner.key", "owner.name", "owner.version", "holders.session", "queue.session");
			assertThat(without(inDatabase, onZooKeeper)).as("leases")
				.containsOnly("holders.leaseEnd", "queue.leaseEnd");
		}
	}

	/** Return the fields of all answers that one store has and the other has not. */
	private static Set<String> without(Map<String, Set<String>> answers, Map<String, Set<String>> others) {
		Set<String> rest = new TreeSet<>();
		answers.forEach((answer, names) -> names.stream()
			.filter((name) -> !others.get(answer).contains(name))
			.forEach((name) -> rest.add(LAST_TWO.matcher(name).replaceFirst("$1"))));
		return rest;
	}

	/** Do all that operators do, and return the names of the fields of each answer. */
	private static Map<String, Set<String>> answers(WebApplicationContextRunner runner) {
		Map<String, Set<String>> answers = new HashMap<>();
		runner.run((a) -> runner.run((b) -> {
			RestTestClient client = client(b);
			for (String provider : new String[] { null, "billing" }) {
				try {
					answers.putAll(
							answers(a.getBean(LockTemplate.class), b.getBean(LockTemplate.class), client, provider));
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			}
			freeElsewhere(client(a), client, a.getBean(LockTemplate.class));
			client.get().uri(CLUSTER + "?provider=biling").exchange().expectStatus().isBadRequest();
		}));
		return answers;
	}

	/** The instance that keeps the hold learns of it by its next try. */
	private static void freeElsewhere(RestTestClient keeper, RestTestClient other, LockTemplate locks) {
		Map<String, Object> held = call(keeper, HttpMethod.POST, "/actuator/locks/freed", Map.of("hold", "30m"), 200);
		await().atMost(PATIENCE)
			.untilAsserted(
					() -> assertThat(holders(call(other, HttpMethod.GET, CLUSTER + "/freed", null, 200), "holders"))
						.singleElement()
						.satisfies((holder) -> assertThat(holder).containsKey("keptUntil")));
		call(keeper, HttpMethod.POST, "/actuator/locks/freed", Map.of("hold", "30m"), 409);
		call(other, HttpMethod.DELETE, CLUSTER + "/freed?token=" + held.get("token"), null, 200);
		assertThat(locks.tryAcquire(LockRequest.exclusive("freed"))).hasValueSatisfying(LockHandle::close);
	}

	private static Map<String, Set<String>> answers(LockTemplate a, LockTemplate b, RestTestClient client,
			@Nullable String provider) throws InterruptedException {
		Map<String, Set<String>> answers = new HashMap<>();
		String and = (provider != null) ? "&provider=" + provider : "";
		LockRequest orders = at(provider, LockRequest.exclusive("orders").withKey("42"));
		String path = CLUSTER + "/orders?key=42" + and;
		try (LockHandle held = a.acquire(orders)) {
			List<String> asked = new CopyOnWriteArrayList<>();
			held.onRevocationRequested((request) -> asked.add(request.requestedBy()));
			Thread waiter = new Thread(() -> b.executeWithoutResult(orders.withWaitTime(PATIENCE), (next) -> {
			}), "waiter");
			waiter.start();
			await().atMost(PATIENCE)
				.until(() -> holders(call(client, HttpMethod.GET, path, null, 200), "queue").size() == 1);
			Map<String, Object> line = call(client, HttpMethod.GET, path, null, 200);
			assertThat(holders(line, "holders")).singleElement()
				.satisfies((holder) -> assertThat(holder.get("token")).hasToString(Long.toString(held.fencingToken())));
			answers.put("line of " + provider, fields(line));
			answers.put("all of " + provider,
					fields(call(client, HttpMethod.GET, CLUSTER + "?busy=true" + and, null, 200)));
			answers.put("ask " + provider,
					fields(call(client, HttpMethod.POST, path, Map.of("token", held.fencingToken()), 202)));
			await().atMost(PATIENCE).until(() -> asked.size() == 1);
			String token = "&token=" + held.fencingToken();
			answers.put("stale " + provider, fields(call(client, HttpMethod.DELETE, path + token + "0", null, 409)));
			answers.put("free " + provider, fields(call(client, HttpMethod.DELETE, path + token, null, 200)));
			waiter.join(PATIENCE.toMillis());
			await().atMost(PATIENCE).until(held::isLost);
		}
		Map<String, Object> hold = call(client, HttpMethod.POST, "/actuator/locks/stock?" + and, Map.of("hold", "30m"),
				200);
		answers.put("hold " + provider, fields(hold));
		answers.put("held " + provider,
				fields(call(client, HttpMethod.POST, "/actuator/locks/stock?" + and, Map.of("hold", "30m"), 409)));
		Map<String, Object> stock = call(client, HttpMethod.GET, CLUSTER + "/stock?" + and, null, 200);
		assertThat(holders(stock, "holders")).singleElement()
			.satisfies((holder) -> assertThat(holder).containsKeys("keptUntil", "heldByOperator")
				.containsEntry("token", hold.get("token")));
		answers.put("kept line of " + provider, fields(stock));
		call(client, HttpMethod.DELETE, CLUSTER + "/stock?token=" + hold.get("token") + and, null, 200);
		await().atMost(PATIENCE)
			.untilAsserted(() -> a.executeWithoutResult(at(provider, LockRequest.exclusive("stock")), (free) -> {
			}));
		return answers;
	}

	private static LockRequest at(@Nullable String provider, LockRequest request) {
		return (provider != null) ? request.withProvider(provider) : request;
	}

	private static RestTestClient client(AssertableWebApplicationContext context) {
		assertThat(context).hasNotFailed();
		int port = ((AnnotationConfigServletWebServerApplicationContext) context.getSourceApplicationContext())
			.getWebServer()
			.getPort();
		return RestTestClient.bindToServer().baseUrl("http://localhost:" + port).build();
	}

	private static Map<String, Object> call(RestTestClient client, HttpMethod method, String path,
			@Nullable Map<String, Object> body, int status) {
		RestTestClient.RequestBodySpec request = client.method(method).uri(path);
		if (body != null) {
			request.contentType(MediaType.APPLICATION_JSON).body(body);
		}
		Map<String, Object> answer = request.exchange()
			.expectBody(new ParameterizedTypeReference<Map<String, Object>>() {
			})
			.consumeWith((result) -> assertThat(result.getStatus().value()).as(result::toString).isEqualTo(status))
			.returnResult()
			.getResponseBody();
		assertThat(answer).isNotNull();
		return answer;
	}

	@SuppressWarnings("unchecked")
	private static List<Map<String, Object>> holders(Map<String, Object> page, String field) {
		List<Map<String, Object>> found = new ArrayList<>();
		((List<Map<String, Object>>) page.get("locks"))
			.forEach((lock) -> found.addAll((List<Map<String, Object>>) lock.get(field)));
		return found;
	}

	private static Set<String> fields(Object answer) {
		Set<String> names = new TreeSet<>();
		collect("", answer, names);
		return names;
	}

	private static void collect(String path, @Nullable Object value, Set<String> names) {
		if (value instanceof Map<?, ?> object) {
			object.forEach((name, each) -> {
				names.add(path + "." + name);
				collect(path + "." + name, each, names);
			});
		}
		else if (value instanceof List<?> list) {
			list.forEach((each) -> collect(path, each, names));
		}
	}

}
