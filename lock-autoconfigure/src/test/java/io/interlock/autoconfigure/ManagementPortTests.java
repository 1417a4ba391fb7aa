package io.interlock.autoconfigure;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.autoconfigure.leader.LeaderElectionAutoConfiguration;
import io.interlock.leader.LeaderElection;
import io.interlock.leader.Leadership;
import io.interlock.leader.LeadershipListener;
import io.interlock.template.LockTemplate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jackson.JacksonEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.servlet.autoconfigure.actuate.web.ServletManagementContextAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.tomcat.autoconfigure.actuate.web.server.TomcatServletManagementContextAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.actuate.endpoint.web.WebMvcHealthEndpointExtensionAutoConfiguration;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;

/**
 * Tests an application whose endpoints have a port, and so a context, of their own.
 */
class ManagementPortTests {

	private static final LockRequest STOCK = LockRequest.exclusive("stock");

	private final WebApplicationContextRunner contextRunner = new WebApplicationContextRunner(
			AnnotationConfigServletWebServerApplicationContext::new)
		.withConfiguration(AutoConfigurations.of(TomcatServletWebServerAutoConfiguration.class,
				TomcatServletManagementContextAutoConfiguration.class, DispatcherServletAutoConfiguration.class,
				WebMvcAutoConfiguration.class, JacksonAutoConfiguration.class,
				HttpMessageConvertersAutoConfiguration.class, EndpointAutoConfiguration.class,
				WebEndpointAutoConfiguration.class, JacksonEndpointAutoConfiguration.class,
				ManagementContextAutoConfiguration.class, ServletManagementContextAutoConfiguration.class,
				HealthContributorRegistryAutoConfiguration.class, HealthEndpointAutoConfiguration.class,
				WebMvcHealthEndpointExtensionAutoConfiguration.class, InterlockAutoConfiguration.class,
				LeaderElectionAutoConfiguration.class, LockHealthContributorAutoConfiguration.class,
				LocksEndpointAutoConfiguration.class))
		.withBean(ManagementContext.class)
		.withPropertyValues("server.port=0", "management.server.port=0",
				"management.endpoints.web.exposure.include=health,locks", "interlock.provider=memory");

	@Test
	void endpointsOfTheContextOfManagementShowTheLocksOfTheApplication() {
		this.contextRunner.run((context) -> {
			RestTestClient client = client(context.getBean(ManagementContext.class));
			try (LockHandle held = context.getBean(LockTemplate.class).acquire(STOCK)) {
				client.get()
					.uri("/actuator/locks")
					.exchange()
					.expectStatus()
					.isOk()
					.expectBody()
					.jsonPath("$.held[0].name")
					.isEqualTo(held.id().name());
			}
			client.get().uri("/actuator/health").exchange().expectStatus().isOk();
		});
	}

	@Test
	void locksAndLeadersOutliveTheContextOfManagement() {
		this.contextRunner.run((context) -> {
			LockTemplate locks = context.getBean(LockTemplate.class);
			LeadershipListener listener = mock(LeadershipListener.class);
			Leadership leadership = context.getBean(LeaderElection.class).join("reports", listener);
			Awaitility.await().until(leadership::isLeader);
			try (LockHandle held = locks.acquire(STOCK)) {
				context.getBean(ManagementContext.class).context.close();
				assertThat(held.isValid()).isTrue();
			}
			locks.acquire(STOCK).close();
			assertThat(leadership.isLeader()).isTrue();
			then(listener).should(never()).onRevoked(any());
		});
	}

	private static RestTestClient client(ManagementContext management) {
		return RestTestClient.bindToServer().baseUrl("http://localhost:" + management.port).build();
	}

	static class ManagementContext implements ApplicationListener<WebServerInitializedEvent> {

		ConfigurableApplicationContext context;

		int port;

		@Override
		public void onApplicationEvent(WebServerInitializedEvent event) {
			if ("management".equals(event.getApplicationContext().getServerNamespace())) {
				this.port = event.getWebServer().getPort();
				this.context = (ConfigurableApplicationContext) event.getApplicationContext();
			}
		}

	}

}
