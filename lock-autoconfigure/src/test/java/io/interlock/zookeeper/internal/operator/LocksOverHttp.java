package io.interlock.zookeeper.internal.operator;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;

import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.LocksEndpointAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.CuratorAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;
import io.interlock.zookeeper.internal.engine.Instance;
import io.interlock.zookeeper.internal.engine.LocalServer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jackson.JacksonEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.servlet.autoconfigure.actuate.web.ServletManagementContextAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application that shows the locks of a cluster over HTTP, with a server of its own.
 */
final class LocksOverHttp {

	private static final Log logger = LogFactory.getLog(LocksOverHttp.class);

	private final LocalServer server;

	private final List<AutoCloseable> opened = new ArrayList<>();

	private final WebApplicationContextRunner contextRunner = new WebApplicationContextRunner(
			AnnotationConfigServletWebServerApplicationContext::new)
		.withConfiguration(AutoConfigurations.of(TomcatServletWebServerAutoConfiguration.class,
				DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class, JacksonAutoConfiguration.class,
				HttpMessageConvertersAutoConfiguration.class, EndpointAutoConfiguration.class,
				WebEndpointAutoConfiguration.class, JacksonEndpointAutoConfiguration.class,
				ManagementContextAutoConfiguration.class, ServletManagementContextAutoConfiguration.class,
				CuratorAutoConfiguration.class, InterlockAutoConfiguration.class, ZooKeeperLockAutoConfiguration.class,
				LocksEndpointAutoConfiguration.class));

	LocksOverHttp() throws Exception {
		this.server = new LocalServer();
	}

	LocalServer server() {
		return this.server;
	}

	/**
	 * Return what runs the application; it takes further settings.
	 */
	WebApplicationContextRunner contextRunner() {
		return this.contextRunner.withPropertyValues("server.port=0", "spring.application.name=shop",
				"interlock.zookeeper.connect-string=" + this.server.connectString(), "interlock.startup-timeout=20s",
				"management.endpoints.web.exposure.include=locks");
	}

	void run(BiConsumer<ApplicationContext, RestTestClient> test) {
		run(contextRunner(), test);
	}

	static void run(WebApplicationContextRunner contextRunner, BiConsumer<ApplicationContext, RestTestClient> test) {
		contextRunner.run((context) -> {
			int port = ((AnnotationConfigServletWebServerApplicationContext) context.getSourceApplicationContext())
				.getWebServer()
				.getPort();
			test.accept(context, RestTestClient.bindToServer().baseUrl("http://localhost:" + port).build());
		});
	}

	/**
	 * Return another instance, for as long as the test runs.
	 */
	Instance instance() {
		return untilTheEnd(Instance.connectedTo(this.server.connectString()));
	}

	/**
	 * Return a client of another make, for as long as the test runs.
	 */
	CuratorFramework plainClient() {
		return untilTheEnd(Instance.client(this.server.connectString(), Duration.ofSeconds(30)));
	}

	private <T extends AutoCloseable> T untilTheEnd(T resource) {
		this.opened.add(resource);
		return resource;
	}

	void close() throws Exception {
		for (AutoCloseable resource : this.opened) {
			resource.close();
		}
		this.server.close();
	}

	static Map<String, Object> get(RestTestClient client, String uri) {
		return read(client.get(), uri, 200);
	}

	static Map<String, Object> read(RestTestClient.RequestHeadersUriSpec<?> request, String uri, int status) {
		byte[] body = request.uri(uri)
			.exchange()
			.expectStatus()
			.isEqualTo(status)
			.expectBody()
			.returnResult()
			.getResponseBody();
		logger.debug(uri);
		return parse(body);
	}

	static Map<String, Object> parse(byte @Nullable [] body) {
		String json = new String(Objects.requireNonNull(body), StandardCharsets.UTF_8);
		logger.debug(json);
		return JsonParserFactory.getJsonParser().parseMap(json);
	}

	static Map<String, Object> only(Map<String, Object> page) {
		assertThat(list(page, "locks")).hasSize(1);
		return list(page, "locks").get(0);
	}

	static long token(Map<String, Object> node) {
		return ((Number) Objects.requireNonNull(node.get("token"))).longValue();
	}

	@SuppressWarnings("unchecked")
	static List<Map<String, Object>> list(Map<String, Object> parent, String field) {
		return (List<Map<String, Object>>) Objects.requireNonNull(parent.get(field));
	}

	@SuppressWarnings("unchecked")
	static Map<String, Object> map(Map<String, Object> parent, String field) {
		return (Map<String, Object>) Objects.requireNonNull(parent.get(field));
	}

}
