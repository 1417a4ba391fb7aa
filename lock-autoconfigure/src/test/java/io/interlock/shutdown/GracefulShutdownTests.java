package io.interlock.shutdown;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.apache.curator.test.TestingServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests applications that stop while locks are held and waited for. In a package of its
 * own: the application scans it.
 */
@Timeout(60)
class GracefulShutdownTests {

	private static final LockRequest JOB = LockRequest.exclusive("job");

	private static TestingServer server;

	private static ConfigurableApplicationContext survivor;

	@BeforeAll
	static void start() throws Exception {
		server = new TestingServer();
		survivor = application("--spring.main.web-application-type=none");
		locks(survivor).acquire(JOB.withKey("warm-up")).close();
	}

	@AfterAll
	static void stop() throws Exception {
		survivor.close();
		server.close();
	}

	@AfterEach
	void nothingIsHeld() {
		assertThat(survivor.getBean(HeldLocks.class).held()).isEmpty();
	}

	@Test
	@Proves(value = Promise.SHUTDOWN, under = Fault.THE_APPLICATION_STOPS)
	void requestInFlightStillGetsItsLock() throws Exception {
		ConfigurableApplicationContext stopping = application("--server.port=0");
		InFlight request = stopping.getBean(InFlight.class);
		CompletableFuture<HttpResponse<String>> response = HttpClient.newHttpClient()
			.sendAsync(HttpRequest
				.newBuilder(URI
					.create("http://localhost:" + stopping.getEnvironment().getProperty("local.server.port") + "/work"))
				.build(), HttpResponse.BodyHandlers.ofString());
		request.arrived.await();
		CompletableFuture<Void> stopped = CompletableFuture.runAsync(stopping::close);
		Awaitility.await().until(() -> !accepts(stopping));
		request.goOn.countDown();
		assertThat(response.get(10, TimeUnit.SECONDS).body()).isEqualTo("worked under job");
		stopped.get(10, TimeUnit.SECONDS);
	}

	@Test
	@Proves(value = Promise.SHUTDOWN, under = Fault.THE_APPLICATION_STOPS)
	void waiterWakesAtOnceWithReason() throws Exception {
		ConfigurableApplicationContext stopping = application("--spring.main.web-application-type=none");
		LockTemplate locks = locks(stopping);
		HeldLocks heldLocks = stopping.getBean(HeldLocks.class);
		LockHandle held = locks(survivor).acquire(JOB);
		CompletableFuture<LockHandle> waiter = CompletableFuture
			.supplyAsync(() -> locks.acquire(JOB.withWaitTime(LockRequest.FOREVER)));
		Awaitility.await().until(() -> !heldLocks.waiting().isEmpty());
		stopping.close();
		assertThat(waiter).failsWithin(Duration.ofSeconds(10))
			.withThrowableThat()
			.havingRootCause()
			.isInstanceOf(LockServiceUnavailableException.class)
			.withMessageContaining("shutting down");
		assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(() -> locks.acquire(JOB))
			.withMessageContaining("shutting down");
		held.close();
	}

	@Test
	@Proves(value = Promise.SHUTDOWN, under = Fault.THE_APPLICATION_STOPS)
	void holdOfTheThreadThatStopsTheApplicationIsHandedOverAtOnce() {
		ConfigurableApplicationContext stopping = application("--spring.main.web-application-type=none");
		long startedAt = System.nanoTime();
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> locks(stopping).executeWithoutResult(JOB, (lock) -> {
				stopping.close();
				locks(survivor).acquire(JOB.withWaitTime(Duration.ofSeconds(10))).close();
			}));
		assertThat(Duration.ofNanos(System.nanoTime() - startedAt)).isLessThan(Duration.ofSeconds(20));
	}

	@Test
	@Proves(value = Promise.SHUTDOWN, under = Fault.THE_APPLICATION_STOPS)
	void nextInstanceTakesOverAtOnceFromHolderThatEndsInTime() throws Exception {
		ConfigurableApplicationContext stopping = application("--spring.main.web-application-type=none");
		LockTemplate locks = locks(stopping);
		HeldLocks heldLocks = stopping.getBean(HeldLocks.class);
		LockHandle held = locks.acquire(JOB);
		CompletableFuture<Void> stopped = CompletableFuture.runAsync(stopping::close);
		Awaitility.await().until(() -> refuses(locks));
		assertThat(held.isValid()).isTrue();
		held.close();
		stopped.get(10, TimeUnit.SECONDS);
		assertThat(heldLocks.held()).isEmpty();
		locks(survivor).acquire(JOB.withWaitTime(Duration.ofSeconds(10))).close();
	}

	@Test
	@Proves(value = Promise.SHUTDOWN, under = Fault.THE_APPLICATION_STOPS)
	void holderThatDoesNotEndInTimeIsToldAndReplaced() {
		ConfigurableApplicationContext stopping = application("--spring.main.web-application-type=none",
				"--interlock.shutdown-timeout=100ms");
		LockHandle held = locks(stopping).acquire(JOB).detach();
		CountDownLatch told = new CountDownLatch(1);
		held.onLoss(told::countDown);
		stopping.close();
		assertThat(held.isValid()).isFalse();
		Awaitility.await().until(() -> told.getCount() == 0);
		LockHandle next = locks(survivor).acquire(JOB.withWaitTime(Duration.ofSeconds(10)));
		assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		next.close();
		held.close();
	}

	@Test
	@Proves(value = Promise.SHUTDOWN, under = Fault.THE_APPLICATION_STOPS)
	void applicationThatStartsAgainLocksAgain() {
		ConfigurableApplicationContext application = application("--spring.main.web-application-type=none");
		application.stop();
		assertThat(refuses(locks(application))).isTrue();
		application.start();
		locks(application).acquire(JOB).close();
		assertThat(refuses(locks(application))).isFalse();
		application.close();
	}

	private static ConfigurableApplicationContext application(String... arguments) {
		SpringApplication application = new SpringApplicationBuilder(Application.class)
			.properties("interlock.zookeeper.connect-string=" + server.getConnectString(),
					"spring.main.banner-mode=off", "spring.jmx.enabled=false", "logging.level.root=warn")
			.build();
		return application.run(arguments);
	}

	private static LockTemplate locks(ConfigurableApplicationContext application) {
		return application.getBean(LockTemplate.class);
	}

	private static boolean refuses(LockTemplate locks) {
		try {
			locks.tryAcquire(LockRequest.exclusive("probe").withWaitTime(Duration.ZERO)).ifPresent(LockHandle::close);
			return false;
		}
		catch (LockServiceUnavailableException ex) {
			return true;
		}
	}

	private static boolean accepts(ConfigurableApplicationContext application) {
		try (Socket socket = new Socket("localhost",
				Integer.parseInt(application.getEnvironment().getProperty("local.server.port", "0")))) {
			return socket.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(InFlight.class)
	static class Application {

	}

	@RestController
	static class InFlight {

		private final CountDownLatch arrived = new CountDownLatch(1);

		private final CountDownLatch goOn = new CountDownLatch(1);

		private final LockTemplate locks;

		InFlight(LockTemplate locks) {
			this.locks = locks;
		}

		@GetMapping("/work")
		String work() throws InterruptedException {
			this.arrived.countDown();
			this.goOn.await();
			return this.locks.execute(JOB, (lock) -> "worked under " + lock.id());
		}

	}

}
