package io.interlock.page;

import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

import io.interlock.LockId;
import io.interlock.actuate.endpoint.LocksEndpoint;
import io.interlock.admin.LockAdministrator;
import io.interlock.admin.LockInspector;
import io.interlock.admin.LockRevoker;
import io.interlock.autoconfigure.LocksEndpointAutoConfiguration;
import io.interlock.template.HeldLocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jackson.JacksonEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.boot.servlet.autoconfigure.actuate.web.ServletManagementContextAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.HttpStatusEntryPoint;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;

/**
 * The login for operators of {@code docs/security.md}, with a server and Spring Security.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockOperatorsTests {

	private static final String ORDERS = "/actuator/locks/cluster/orders";

	private final LockRevoker revoker = mock(LockRevoker.class);

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner(
			AnnotationConfigServletWebServerApplicationContext::new)
		.withConfiguration(AutoConfigurations.of(TomcatServletWebServerAutoConfiguration.class,
				DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class, JacksonAutoConfiguration.class,
				HttpMessageConvertersAutoConfiguration.class, EndpointAutoConfiguration.class,
				WebEndpointAutoConfiguration.class, JacksonEndpointAutoConfiguration.class,
				ManagementContextAutoConfiguration.class, ServletManagementContextAutoConfiguration.class,
				SecurityAutoConfiguration.class, ServletWebSecurityAutoConfiguration.class,
				SecurityFilterAutoConfiguration.class, LocksEndpointAutoConfiguration.class))
		.withUserConfiguration(Shop.class, Example.class)
		.withBean(HeldLocks.class, HeldLocks::new)
		.withBean(LockInspector.class, () -> mock(LockInspector.class))
		.withBean(LockAdministrator.class, () -> new LockAdministrator(this.revoker, List.of()))
		.withPropertyValues("server.port=0", "management.endpoints.web.exposure.include=locks",
				"management.endpoint.locks.access=UNRESTRICTED");

	LockOperatorsTests() {
		LockId orders = new LockId("orders", null);
		LockRevoker.Target target = new LockRevoker.Target(orders, 7, "/interlock/orders/_c_1", null, false);
		given(this.revoker.release(orders, 7)).willReturn(target);
		given(this.revoker.requestRevocation(eq(orders), eq(7L), any(), any())).willReturn(target);
	}

	private void run(BiConsumer<RestTestClient, LockRevoker> test) {
		this.runner.run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(LocksEndpoint.class);
			int port = ((AnnotationConfigServletWebServerApplicationContext) context.getSourceApplicationContext())
				.getWebServer()
				.getPort();
			test.accept(RestTestClient.bindToServer().baseUrl("http://localhost:" + port).build(), this.revoker);
		});
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
		UserDetailsService users() {
			return new InMemoryUserDetailsManager(
					User.withUsername("olga").password("{noop}secret").roles("LOCK_OPERATOR").build(),
					User.withUsername("uwe").password("{noop}secret").roles("USER").build());
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
