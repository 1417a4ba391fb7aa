package io.interlock.console;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.endpoint.EndpointsSupplier;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.EntityExchangeResult;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LocksConsoleEndpoint} over HTTP.
 */
class LocksConsoleEndpointTests {

	private static final String EXPOSED = "management.endpoints.web.exposure.include=health,metrics,locks,locksconsole";

	private static final String PAGE = "/actuator/locksconsole";

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void handsOutThePageAndItsFiles(WebApplicationType type) {
		run(type, (client) -> {
			EntityExchangeResult<String> page = get(client, PAGE);
			assertThat(page.getResponseHeaders().getContentType())
				.isEqualTo(MediaType.valueOf("text/html;charset=UTF-8"));
			assertThat(page.getResponseBody()).contains("default-src 'none'; script-src 'self'")
				.contains("src=\"locksconsole/main.js\"")
				.contains("data-locks=\"locks\" data-metrics=\"metrics\" data-prometheus=\"\" data-health=\"health\"");
			assertThat(get(client, PAGE + "/main.js").getResponseHeaders().getContentType())
				.isEqualTo(MediaType.valueOf("text/javascript;charset=UTF-8"));
			assertThat(get(client, PAGE + "/base.css").getResponseHeaders().getContentType())
				.isEqualTo(MediaType.valueOf("text/css;charset=UTF-8"));
		}, EXPOSED);
	}

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void handsOutNothingElse(WebApplicationType type) {
		run(type, (client) -> {
			for (String path : List.of("/unknown.js", "/console.html", "/LocksConsoleEndpoint.class",
					"/main.js/main.js", "/", "/./main.js/..", "/../console/main.js", "/%2e%2e/console/base.css",
					"/..%2fbase.css", "/%2e%2e%2f%2e%2e%2fapplication.properties", "/main.js%00", "//main.js/x")) {
				int status = client.get()
					.uri((uri) -> URI.create(uri.build() + PAGE + path))
					.exchange()
					.returnResult(String.class)
					.getStatus()
					.value();
				assertThat(status).as(path).isIn(400, 404);
			}
		}, EXPOSED);
	}

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void worksOnAManagementPortOfItsOwn(WebApplicationType type) {
		try (ConfigurableApplicationContext context = start(type, EXPOSED, "management.server.port=0")) {
			RestTestClient management = client(context, "local.management.port");
			assertThat(get(management, PAGE).getResponseBody()).contains("data-locks=\"locks\"");
			assertThat(get(management, PAGE + "/main.js").getResponseBody()).isNotEmpty();
			client(context, "local.server.port").get().uri(PAGE).exchange().expectStatus().isNotFound();
		}
	}

	@Test
	void isOffUnlessExposed() {
		run(WebApplicationType.SERVLET, (client) -> client.get().uri(PAGE).exchange().expectStatus().isNotFound(),
				"management.endpoints.web.exposure.include=health,locks");
	}

	@Test
	void findsEndpointsBelowOtherPaths() {
		run(WebApplicationType.SERVLET, (client) -> {
			assertThat(get(client, "/ops/console").getResponseBody()).contains("src=\"../ops/console/main.js\"")
				.contains("data-locks=\"../held\" data-metrics=\"\"");
			assertThat(get(client, "/ops/console/main.js").getResponseBody()).isNotEmpty();
		}, "management.endpoints.web.exposure.include=health,locks,locksconsole",
				"management.endpoints.web.base-path=/",
				"management.endpoints.web.path-mapping.locksconsole=ops/console",
				"management.endpoints.web.path-mapping.locks=held");
	}

	@ParameterizedTest
	@ValueSource(strings = { "true,unrestricted,", "true,read-only,management.endpoint.locks.access=unrestricted",
			"false,unrestricted,interlock.admin.enabled=true",
			"false,read-only,interlock.admin.enabled=true and management.endpoint.locks.access=unrestricted" })
	void namesWhatKeepsOperatorsFromActing(String settings) {
		String[] each = settings.split(",", -1);
		run(WebApplicationType.SERVLET,
				(client) -> assertThat(get(client, PAGE).getResponseBody())
					.contains("data-missing=\"%s\"".formatted(each[2])),
				EXPOSED, "interlock.admin.enabled=" + each[0], "management.endpoint.locks.access=" + each[1]);
	}

	@Test
	void namesFurtherProviders() {
		run(WebApplicationType.SERVLET,
				(client) -> assertThat(get(client, PAGE).getResponseBody())
					.contains("data-providers=\"billing,stock\""),
				EXPOSED, "interlock.providers.billing.provider=memory", "interlock.providers.stock.provider=memory");
	}

	@Test
	void namesThePartsOfTheHealthThatAreStores() {
		run(WebApplicationType.SERVLET,
				(client) -> assertThat(get(client, PAGE).getResponseBody()).contains("data-health-parts=\"\""),
				EXPOSED);
		run(WebApplicationType.SERVLET,
				(client) -> assertThat(get(client, PAGE).getResponseBody())
					.contains("data-health-parts=\"interlockProviders\""),
				EXPOSED, "interlock.providers.billing.provider=memory");
	}

	@Test
	void listsEachFileOfThePage() {
		PathMatchingResourcePatternResolver resources = new PathMatchingResourcePatternResolver();
		List<String> names = Stream.of("*.js", "*.css")
			.flatMap((pattern) -> files(resources, "classpath*:io/interlock/console/" + pattern))
			.map(Resource::getFilename)
			.toList();
		assertThat(names).containsExactlyInAnyOrderElementsOf(ConsoleFiles.NAMES);
	}

	private static Stream<Resource> files(PathMatchingResourcePatternResolver resources, String pattern) {
		try {
			return Arrays.stream(resources.getResources(pattern));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Test
	void writesNoMarkupOfOthersIntoThePage() {
		ConsoleSurroundings surroundings = new ConsoleSurroundings(
				() -> new PathMappedEndpoints("/actuator", List.<EndpointsSupplier<?>>of()), () -> "", List.of(),
				List.of());
		assertThat(surroundings.writeInto("<body data-operator=\"{operator}\">", "\"><img src=x onerror=alert(1)>"))
			.isEqualTo("<body data-operator=\"&quot;&gt;&lt;img src=x onerror=alert(1)&gt;\">");
	}

	private static void run(WebApplicationType type, Consumer<RestTestClient> test, String... properties) {
		try (ConfigurableApplicationContext context = start(type, properties)) {
			test.accept(client(context, "local.server.port"));
		}
	}

	private static ConfigurableApplicationContext start(WebApplicationType type, String... properties) {
		SpringApplication application = new SpringApplicationBuilder(Application.class).web(type).build();
		application.setDefaultProperties(Map.of("server.port", "0", "interlock.provider", "memory"));
		return application.run(Arrays.stream(properties).map((property) -> "--" + property).toArray(String[]::new));
	}

	private static RestTestClient client(ConfigurableApplicationContext context, String port) {
		return RestTestClient.bindToServer()
			.baseUrl("http://localhost:" + context.getEnvironment().getRequiredProperty(port))
			.build();
	}

	private static EntityExchangeResult<String> get(RestTestClient client, String path) {
		return client.get().uri(path).exchange().expectStatus().isOk().expectBody(String.class).returnResult();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
