package io.interlock.page;

import java.util.Map;
import java.util.function.BiConsumer;

import io.interlock.LockId;
import io.interlock.admin.LockRevoker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.HttpStatusEntryPoint;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.never;

/**
 * The login for operators of {@code docs/security.md}, with a server and Spring Security.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockOperatorsTests {

	private static final String ORDERS = "/actuator/locks/cluster/orders";

	private final OperatorsApplication application = new OperatorsApplication();

	private void run(BiConsumer<RestTestClient, LockRevoker> test) {
		OperatorsApplication.withUrl(this.application.runner().withUserConfiguration(Shop.class, Example.class),
				(url) -> test.accept(RestTestClient.bindToServer().baseUrl(url).build(), this.application.revoker()));
	}

	private static void as(HttpHeaders headers, String user) {
		headers.setBasicAuth(user, "secret");
	}

	@Test
	void operatorFreesAndAsksWithoutSessionAndToken(CapturedOutput output) {
		run((client, revoker) -> {
			client.delete()
				.uri(ORDERS + "?token=7")
				.headers((headers) -> as(headers, "olga"))
				.exchange()
				.expectStatus()
				.isOk()
				.expectHeader()
				.doesNotExist(HttpHeaders.SET_COOKIE);
			client.post()
				.uri(ORDERS)
				.headers((headers) -> as(headers, "olga"))
				.contentType(MediaType.APPLICATION_JSON)
				.body(Map.of("token", 7))
				.exchange()
				.expectStatus()
				.isAccepted();
			then(revoker).should().release(new LockId("orders", null), 7);
		});
		assertThat(output).contains("by=\"'olga'\"").doesNotContain("Anonymous callers");
	}

	@Test
	void otherUserIsRefused() {
		run((client, revoker) -> {
			client.delete()
				.uri(ORDERS + "?token=7")
				.headers((headers) -> as(headers, "uwe"))
				.exchange()
				.expectStatus()
				.isForbidden();
			client.get()
				.uri("/actuator/locks")
				.headers((headers) -> as(headers, "uwe"))
				.exchange()
				.expectStatus()
				.isForbidden();
			then(revoker).should(never()).release(any(), anyLong());
		});
	}

	@Test
	void anonymousCallerIsRefusedAndNoBrowserIsAskedForAPassword() {
		run((client, revoker) -> {
			client.delete()
				.uri(ORDERS + "?token=7")
				.exchange()
				.expectStatus()
				.isUnauthorized()
				.expectHeader()
				.doesNotExist(HttpHeaders.WWW_AUTHENTICATE);
			then(revoker).should(never()).release(any(), anyLong());
		});
	}

	@Test
	void otherRequestsStillNeedTheTokenAgainstForgery() {
		run((client, revoker) -> client.post()
			.uri("/orders")
			.headers((headers) -> as(headers, "uwe"))
			.exchange()
			.expectStatus()
			.isForbidden());
	}

	/**
	 * What the page shows.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Example {

		@Bean
		@Order(1)
		SecurityFilterChain lockOperators(HttpSecurity http) throws Exception {
			HttpStatusEntryPoint noQuestion = new HttpStatusEntryPoint(HttpStatus.UNAUTHORIZED);
			return http.securityMatcher(EndpointRequest.to("locks"))
				.authorizeHttpRequests((requests) -> requests.anyRequest().hasRole("LOCK_OPERATOR"))
				.httpBasic((basic) -> basic.authenticationEntryPoint(noQuestion))
				.sessionManagement((session) -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
				.csrf((csrf) -> csrf.disable())
				.build();
		}

	}

	/**
	 * The rest of the application, with its own chain.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Shop {

		@Bean
		SecurityFilterChain shop(HttpSecurity http) throws Exception {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.httpBasic(Customizer.withDefaults())
				.build();
		}

		@Bean
		Orders orders() {
			return new Orders();
		}

	}

	@RestController
	static class Orders {

		@PostMapping("/orders")
		String order() {
			return "ordered";
		}

	}

}
