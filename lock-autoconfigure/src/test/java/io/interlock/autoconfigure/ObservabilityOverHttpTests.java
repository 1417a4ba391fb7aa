package io.interlock.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.interceptor.JobRuns;
import io.interlock.provider.RunRecords.Run;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSnapshot;
import io.interlock.zookeeper.SessionSnapshot;
import io.interlock.zookeeper.SessionSnapshot.State;
import io.interlock.zookeeper.ZooKeeperSession;
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
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.actuate.endpoint.web.WebMvcHealthEndpointExtensionAutoConfiguration;
import org.springframework.test.json.JsonCompareMode;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for the JSON that health and the endpoint answer with over HTTP.
 */
class ObservabilityOverHttpTests {

	private static final Instant SINCE = Instant.parse("2026-01-02T03:04:05.678Z");

	private final WebApplicationContextRunner contextRunner = new WebApplicationContextRunner(
			AnnotationConfigServletWebServerApplicationContext::new)
		.withConfiguration(AutoConfigurations.of(TomcatServletWebServerAutoConfiguration.class,
				DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class, JacksonAutoConfiguration.class,
				HttpMessageConvertersAutoConfiguration.class, EndpointAutoConfiguration.class,
				WebEndpointAutoConfiguration.class, JacksonEndpointAutoConfiguration.class,
				ManagementContextAutoConfiguration.class, ServletManagementContextAutoConfiguration.class,
				HealthContributorRegistryAutoConfiguration.class, HealthEndpointAutoConfiguration.class,
				WebMvcHealthEndpointExtensionAutoConfiguration.class, LockHealthContributorAutoConfiguration.class,
				LocksEndpointAutoConfiguration.class))
		.withPropertyValues("server.port=0", "management.endpoints.web.exposure.include=health,locks",
				"management.endpoint.health.show-details=always");

	@Test
	void healthIsUpWhileConnected() {
		SessionSnapshot session = new SessionSnapshot(State.CONNECTED, SINCE, 0x1000abcdL, Duration.ofSeconds(30), null,
				false);
		run(session,
				(client) -> client.get()
					.uri("/actuator/health/zookeeper")
					.exchange()
					.expectStatus()
					.isOk()
					.expectBody()
					.json("""
							{
								"status": "UP",
								"details": {
									"state": "CONNECTED",
									"store": "ZooKeeper",
									"since": "2026-01-02T03:04:05.678Z",
									"sessionId": "0x1000abcd",
									"negotiatedTimeout": "PT30S"
								}
							}
							""", JsonCompareMode.STRICT));
	}

	@Test
	void healthIsOutOfServiceWhileSuspended() {
		SessionSnapshot session = new SessionSnapshot(State.SUSPENDED, SINCE, 0x1000abcdL, Duration.ofSeconds(30), null,
				false);
		run(session,
				(client) -> client.get()
					.uri("/actuator/health")
					.exchange()
					.expectStatus()
					.isEqualTo(503)
					.expectBody()
					.jsonPath("status")
					.isEqualTo("OUT_OF_SERVICE")
					.jsonPath("components.zookeeper.details.state")
					.isEqualTo("SUSPENDED"));
	}

	@Test
	void healthIsDownBeforeTheFirstConnection() {
		run(new SessionSnapshot(State.CONNECTING, SINCE, null, null, null, false),
				(client) -> client.get()
					.uri("/actuator/health/zookeeper")
					.exchange()
					.expectStatus()
					.isEqualTo(503)
					.expectBody()
					.json("""
							{
								"status": "DOWN",
								"details": {
									"state": "CONNECTING",
									"store": "ZooKeeper",
									"since": "2026-01-02T03:04:05.678Z",
									"failure": "no server has been reached yet"
								}
							}
							""", JsonCompareMode.STRICT));
	}

	@Test
	void locksShowsWhatIsHeldAndWaitedFor() {
		run((client) -> client.get().uri("/actuator/locks").exchange().expectStatus().isOk().expectBody().json("""
				{
					"counts": { "held": 2, "waiting": 1 },
					"limit": 500,
					"held": [
						{
							"name": "orders",
							"key": "42",
							"mode": "EXCLUSIVE",
							"token": 4294967298,
							"valid": true,
							"handoff": 3,
							"thread": "http-1",
							"since": "2026-01-02T03:04:05.678Z"
						},
						{
							"name": "report",
							"mode": "SHARED",
							"token": 4294967299,
							"valid": false,
							"handoff": 0,
							"thread": "scheduling-1",
							"since": "2026-01-02T03:04:05.678Z"
						}
					],
					"waiting": [
						{
							"name": "orders",
							"key": "42",
							"mode": "EXCLUSIVE",
							"thread": "http-2",
							"since": "2026-01-02T03:04:05.678Z"
						}
					]
				}
				""", JsonCompareMode.STRICT));
	}

	@Test
	void locksShowsOneName() {
		run((client) -> client.get()
			.uri("/actuator/locks?name=report")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("counts.held")
			.isEqualTo(1)
			.jsonPath("held[0].name")
			.isEqualTo("report")
			.jsonPath("waiting")
			.isEmpty());
	}

	@Test
	void runsShowsTheLastRunsOfJobs() {
		run((client) -> {
			client.get().uri("/actuator/locks/runs").exchange().expectStatus().isOk().expectBody().json("""
					{
						"runs": [
							{
								"name": "report",
								"instance": "host:1",
								"startedAt": "2026-01-02T03:04:05.678Z",
								"duration": "PT5S",
								"outcome": "success",
								"lastSuccess": "2026-01-02T03:04:05.678Z"
							}
						]
					}
					""", JsonCompareMode.STRICT);
			client.get().uri("/actuator/locks/report").exchange().expectStatus().isNotFound();
		});
	}

	@Test
	void locksCannotBeChanged() {
		run((client) -> client.delete().uri("/actuator/locks").exchange().expectStatus().isEqualTo(405));
	}

	private void run(Consumer<RestTestClient> test) {
		run(new SessionSnapshot(State.CONNECTED, SINCE, 1L, Duration.ofSeconds(30), null, false), test);
	}

	private void run(SessionSnapshot session, Consumer<RestTestClient> test) {
		this.contextRunner.withBean(ZooKeeperSession.class, () -> () -> session)
			.withBean(HeldLocks.class, ObservabilityOverHttpTests::locks)
			.withBean(JobRuns.class, ObservabilityOverHttpTests::jobs)
			.run((context) -> {
				int port = ((AnnotationConfigServletWebServerApplicationContext) context.getSourceApplicationContext())
					.getWebServer()
					.getPort();
				test.accept(RestTestClient.bindToServer().baseUrl("http://localhost:" + port).build());
			});
	}

	private static JobRuns jobs() {
		JobRuns jobs = mock(JobRuns.class);
		given(jobs.runs())
			.willReturn(List.of(new Run("report", null, "host:1", SINCE, Duration.ofSeconds(5), Run.SUCCESS, SINCE)));
		return jobs;
	}

	private static HeldLocks locks() {
		LockId orders = new LockId("orders", "42");
		HeldLocks locks = mock(HeldLocks.class);
		given(locks.held()).willReturn(List.of(
				new LockSnapshot(orders, LockMode.EXCLUSIVE, 4294967298L, true, 3, "http-1", SINCE, List.of(), null),
				new LockSnapshot(new LockId("report", null), LockMode.SHARED, 4294967299L, false, 0, "scheduling-1",
						SINCE, List.of(), null)));
		given(locks.waiting()).willReturn(List
			.of(new LockSnapshot(orders, LockMode.EXCLUSIVE, null, false, null, "http-2", SINCE, List.of(), null)));
		return locks;
	}

}
