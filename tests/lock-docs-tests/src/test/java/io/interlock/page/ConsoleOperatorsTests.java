package io.interlock.page;

import java.net.CookieManager;
import java.net.HttpCookie;
import java.net.http.HttpClient;
import java.util.Map;
import java.util.function.Consumer;

import io.interlock.LockId;
import io.interlock.console.LocksConsoleEndpointAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.MediaType;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.test.web.servlet.client.EntityExchangeResult;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.never;

/**
 * The console behind the logins of {@code docs/security.md}, with a server and Spring
 * Security: what a browser is answered, with its cookies.
 */
class ConsoleOperatorsTests {

	private static final String PAGE = "/actuator/locksconsole";

	private static final String FREE = "/actuator/locks/cluster?name=orders&token=7";

	private final OperatorsApplication application = new OperatorsApplication();

	private final CookieManager cookies = new CookieManager();

	@Test
	void loginForRequestsLetsNoBrowserReadLocks() {
		run((client) -> {
			client.get()
				.uri(PAGE)
				.headers((headers) -> headers.setBasicAuth("uwe", "secret"))
				.exchange()
				.expectStatus()
				.isOk();
			client.get()
				.uri("/actuator/locks")
				.headers((headers) -> headers.setBasicAuth("uwe", "secret"))
				.exchange()
				.expectStatus()
				.isForbidden();
			client.get().uri("/actuator/locks").exchange().expectStatus().isUnauthorized();
		}, LockOperatorsTests.Shop.class, LockOperatorsTests.Example.class);
	}

	@ParameterizedTest
	@ValueSource(strings = { PAGE, PAGE + "/main.js", "/actuator/locks" })
	void strangersAreSentToTheLogin(String path) {
		run((client) -> client.get()
			.uri(path)
			.exchange()
			.expectStatus()
			.isFound()
			.expectHeader()
			.valueMatches("Location", ".*/login"), Example.class);
	}

	@Test
	void noBrowserAsksForAPasswordWhileThePageReads() {
		run((client) -> client.get()
			.uri("/actuator/locks")
			.header("X-Requested-With", "XMLHttpRequest")
			.exchange()
			.expectStatus()
			.isUnauthorized()
			.expectHeader()
			.doesNotExist("WWW-Authenticate"), WithPasswordsToo.class);
	}

	@ParameterizedTest
	@ValueSource(strings = { PAGE, PAGE + "/main.js", "/actuator/locks" })
	void usersWithoutTheRoleAreRefused(String path) {
		run((client) -> {
			logIn(client, "uwe");
			client.get().uri(path).exchange().expectStatus().isForbidden();
		}, Example.class);
	}

	@Test
	void operatorReadsAndActsWithTheTokenOfTheCookie() {
		run((client) -> {
			logIn(client, "olga");
			EntityExchangeResult<String> page = client.get()
				.uri(PAGE)
				.exchange()
				.expectStatus()
				.isOk()
				.expectBody(String.class)
				.returnResult();
			assertThat(page.getResponseBody()).contains("data-operator=\"olga\"", "data-missing=\"\"");
			client.get().uri(PAGE + "/main.js").exchange().expectStatus().isOk();
			client.get().uri("/actuator/locks").exchange().expectStatus().isOk();
			client.delete().uri(FREE).exchange().expectStatus().isForbidden();
			then(this.application.revoker()).should(never()).release(any(), anyLong());
			client.delete().uri(FREE).header("X-XSRF-TOKEN", cookie("XSRF-TOKEN")).exchange().expectStatus().isOk();
			then(this.application.revoker()).should().release(new LockId("orders", null), 7);
			client.post()
				.uri("/actuator/locks/cluster/-?name=orders")
				.header("X-XSRF-TOKEN", cookie("XSRF-TOKEN"))
				.contentType(MediaType.APPLICATION_JSON)
				.body(Map.of("token", 7))
				.exchange()
				.expectStatus()
				.isAccepted();
		}, Example.class);
	}

	private void logIn(RestTestClient client, String user) {
		client.get().uri("/login").exchange().expectStatus().isOk();
		client.post()
			.uri("/login")
			.header("X-XSRF-TOKEN", cookie("XSRF-TOKEN"))
			.contentType(MediaType.APPLICATION_FORM_URLENCODED)
			.body("username=%s&password=secret".formatted(user))
			.exchange()
			.expectStatus()
			.isFound();
	}

	private String cookie(String name) {
		return this.cookies.getCookieStore()
			.getCookies()
			.stream()
			.filter((cookie) -> cookie.getName().equals(name))
			.map(HttpCookie::getValue)
			.findFirst()
			.orElseThrow();
	}

	private void run(Consumer<RestTestClient> test, Class<?>... security) {
		HttpClient http = HttpClient.newBuilder().cookieHandler(this.cookies).build();
		WebApplicationContextRunner runner = this.application.runner()
			.withConfiguration(AutoConfigurations.of(LocksConsoleEndpointAutoConfiguration.class))
			.withUserConfiguration(security)
			.withPropertyValues("management.endpoints.web.exposure.include=locks,locksconsole");
		OperatorsApplication.withUrl(runner, (url) -> test
			.accept(RestTestClient.bindToServer(new JdkClientHttpRequestFactory(http)).baseUrl(url).build()));
	}

	/**
	 * What the page shows.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Example {

		@Bean
		SecurityFilterChain lockConsole(HttpSecurity http) throws Exception {
			return http
				.authorizeHttpRequests((requests) -> requests
					.requestMatchers(EndpointRequest.to("locksconsole", "locks", "metrics", "prometheus"))
					.hasRole("LOCK_OPERATOR")
					.anyRequest()
					.authenticated())
				.formLogin(Customizer.withDefaults())
				.csrf((csrf) -> csrf.spa())
				.build();
		}

	}

	/**
	 * A chain that takes requests with a password too.
	 */
	@Configuration(proxyBeanMethods = false)
	static class WithPasswordsToo {

		@Bean
		SecurityFilterChain lockConsole(HttpSecurity http) throws Exception {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.formLogin(Customizer.withDefaults())
				.httpBasic(Customizer.withDefaults())
				.csrf((csrf) -> csrf.spa())
				.build();
		}

	}

}
