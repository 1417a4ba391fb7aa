package io.interlock.zookeeper.internal.operator;

import java.io.IOException;
import java.security.Principal;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.RevocationRequest;
import io.interlock.template.LockTemplate;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.web.filter.OncePerRequestFilter;

import static io.interlock.zookeeper.internal.operator.LocksOverHttp.map;
import static io.interlock.zookeeper.internal.operator.LocksOverHttp.read;
import static io.interlock.zookeeper.internal.operator.LocksOverHttp.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for freeing and asking for locks over HTTP, with a server.
 */
@ExtendWith(OutputCaptureExtension.class)
class FreeingOverHttpTests {

	private final LocksOverHttp application;

	FreeingOverHttpTests() throws Exception {
		this.application = new LocksOverHttp();
	}

	@AfterEach
	void close() throws Exception {
		this.application.close();
	}

	@Test
	void lockIsFreedWithTheTokenThatWasSeen() {
		free((context, client) -> {
			LockRequest request = LockRequest.exclusive("orders").withKey("42");
			LockHandle held = this.application.instance().template().acquire(request);
			String uri = "/actuator/locks/cluster/orders?key=42&token=";
			assertThat(read(client.delete(), uri + (held.fencingToken() - 1), 409)).containsEntry("error",
					"STALE_TOKEN");
			assertThat(held.isValid()).isTrue();
			Map<String, Object> answer = read(client.delete(), uri + held.fencingToken(), 200);
			assertThat(answer).containsKey("message");
			assertThat(token(map(answer, "released"))).isEqualTo(held.fencingToken());
			assertThat(map(map(answer, "released"), "owner")).containsEntry("instance", "test@localhost:1");
			await().until(held::isLost);
			held.close();
			try (LockHandle next = context.getBean(LockTemplate.class).acquire(request)) {
				assertThat(next.isValid()).isTrue();
			}
		});
	}

	@Test
	void holderIsAskedWithTheTokenThatWasSeen() {
		free((context, client) -> {
			LockRequest request = LockRequest.exclusive("orders").withKey("42");
			LockHandle held = context.getBean(LockTemplate.class).acquire(request);
			CompletableFuture<RevocationRequest> asked = new CompletableFuture<>();
			held.onRevocationRequested(asked::complete);
			ask(client, held.fencingToken() - 1).expectStatus().isEqualTo(409);
			assertThat(asked).isNotDone();
			ask(client, held.fencingToken()).expectStatus()
				.isEqualTo(202)
				.expectBody()
				.jsonPath("asked.token")
				.isEqualTo(held.fencingToken())
				.jsonPath("message")
				.exists();
			assertThat(asked).succeedsWithin(Duration.ofSeconds(10))
				.satisfies((news) -> assertThat(news.requestedBy()).isEqualTo("'alice'"));
			assertThat(held.isValid()).isTrue();
			held.close();
		});
	}

	@Test
	void holderOfALockWithASlashInItsNameIsAsked() {
		free((context, client) -> {
			LockHandle held = context.getBean(LockTemplate.class).acquire(LockRequest.exclusive("price/list"));
			CompletableFuture<RevocationRequest> asked = new CompletableFuture<>();
			held.onRevocationRequested(asked::complete);
			askNamed(client, "orders", held.fencingToken()).expectStatus().isBadRequest();
			askNamed(client, "-", held.fencingToken()).expectStatus().isEqualTo(202);
			assertThat(asked).succeedsWithin(Duration.ofSeconds(10));
			held.close();
		});
	}

	private static RestTestClient.ResponseSpec askNamed(RestTestClient client, String path, long token) {
		return client.post()
			.uri("/actuator/locks/cluster/{path}?name=price/list", path)
			.contentType(MediaType.APPLICATION_JSON)
			.body(Map.of("token", token))
			.exchange();
	}

	private static RestTestClient.ResponseSpec ask(RestTestClient client, long token) {
		return client.post()
			.uri("/actuator/locks/cluster/orders")
			.contentType(MediaType.APPLICATION_JSON)
			.body(Map.of("key", "42", "token", token))
			.exchange();
	}

	@Test
	void whoFreedALockIsLogged(CapturedOutput output) {
		free((context, client) -> {
			LockHandle held = this.application.instance().template().acquire(LockRequest.exclusive("orders"));
			read(client.delete(), "/actuator/locks/cluster/orders?token=" + held.fencingToken(), 200);
			assertThat(output).contains("was released by force at the request of 'alice'");
			held.close();
		});
		assertThat(output).doesNotContain("Anonymous callers");
	}

	@Test
	void anonymousCallerIsOneWarning(CapturedOutput output) {
		WebApplicationContextRunner open = this.application.contextRunner()
			.withPropertyValues("interlock.admin.enabled=true", "management.endpoint.locks.access=UNRESTRICTED");
		LocksOverHttp.run(open, (context, client) -> {
			client.get().uri("/actuator/locks/cluster").exchange().expectStatus().isOk();
			assertThat(output).doesNotContain("Anonymous callers");
			ask(client, 1).expectStatus().isEqualTo(409);
			read(client.delete(), "/actuator/locks/cluster/orders?token=1", 409);
		});
		assertThat(output).containsOnlyOnce("Anonymous callers")
			.containsPattern("WARN .*Anonymous callers of the locks endpoint can take locks from their holders"
					+ ".*docs/security.md.*interlock.admin.enabled=false");
	}

	@Test
	void freeingNeedsALockAndAToken() {
		free((context, client) -> {
			client.delete().uri("/actuator/locks/cluster/orders").exchange().expectStatus().isBadRequest();
			client.delete().uri("/actuator/locks/cluster/orders?token=x").exchange().expectStatus().isBadRequest();
			client.delete()
				.uri("/actuator/locks/cluster/orders?token=1&key= ")
				.exchange()
				.expectStatus()
				.isBadRequest();
			client.delete().uri("/actuator/locks/elsewhere/orders?token=1").exchange().expectStatus().isNotFound();
		});
	}

	@Test
	void nothingIsFreedUnlessBothSwitchesAreOn() {
		Map.of("interlock.admin.enabled=true", 405, "management.endpoint.locks.access=UNRESTRICTED", 501)
			.forEach((property, status) -> LocksOverHttp.run(
					this.application.contextRunner().withPropertyValues(property),
					(context, client) -> client.delete()
						.uri("/actuator/locks/cluster/orders?token=1")
						.exchange()
						.expectStatus()
						.isEqualTo(status)));
	}

	private void free(BiConsumer<ApplicationContext, RestTestClient> test) {
		LocksOverHttp.run(this.application.contextRunner()
			.withBean(SignedIn.class)
			.withPropertyValues("interlock.admin.enabled=true", "management.endpoint.locks.access=UNRESTRICTED"), test);
	}

	/**
	 * Says who asks, as a filter of Spring Security does.
	 */
	static final class SignedIn extends OncePerRequestFilter {

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			chain.doFilter(new HttpServletRequestWrapper(request) {

				@Override
				public Principal getUserPrincipal() {
					return () -> "alice";
				}

			}, response);
		}

	}

}
