package io.interlock.sample;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.admin.LockAdministrator;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Drives the application into each situation that has an alert, on each store, and sees
 * the alert fire on what it exposed meanwhile. Prometheus' own tool evaluates the rules.
 */
@Deep
class AlertsTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final Duration WAIT_TIME = Duration.ofMillis(1200);

	private final ExecutorService executor = Executors.newCachedThreadPool();

	private RunningBoxOffice boxOffice;

	private LockTemplate template;

	private Timeline timeline;

	@TempDir
	private Path directory;

	@AfterEach
	void close() {
		this.executor.shutdownNow();
	}

	@ParameterizedTest
	@EnumSource
	void everyAlertFires(LockStore store) throws Exception {
		Promtool.assume();
		try (LockStore.Running server = store.start(this.directory);
				TcpProxy line = TcpProxy.to(server.port());
				RunningBoxOffice application = store.open(line, Duration.ofSeconds(15),
						OutageStoryTests.ShortHoldsOnly.class, Jobs.class)) {
			this.boxOffice = application;
			this.template = application.bean(LockTemplate.class);
			this.timeline = new Timeline(application);
			nothingHappens();
			lockIsLost();
			lockIsHeldTooLong();
			callersGiveUp();
			jobNeverSucceeds();
			storeIsDown(line);
			Promtool.test(this.timeline, this.directory);
		}
	}

	private void nothingHappens() {
		for (int i = 0; i < 24; i++) {
			this.template.acquire(LockRequest.exclusive("stock")).close();
			this.template.acquire(LockRequest.exclusive("orders")).close();
			this.template.tryAcquire(LockRequest.exclusive("job")).orElseThrow().close();
			this.timeline.scrape();
		}
		this.timeline.expectNothing();
	}

	private void lockIsLost() {
		LockHandle handle = this.template.acquire(LockRequest.exclusive("stock"));
		this.timeline.scrape();
		this.boxOffice.bean(LockAdministrator.class).release(handle.id(), handle.fencingToken(), "a test");
		await().atMost(PATIENCE).until(handle::isLost);
		this.timeline.scrape(2);
		this.timeline.expect("InterlockLockLost");
		handle.close();
	}

	private void lockIsHeldTooLong() {
		LockRequest request = LockRequest.exclusive("audit").withMaxHold(Duration.ofMillis(300));
		try (LockHandle handle = this.template.acquire(request)) {
			this.timeline.scrape();
			await().until(() -> this.boxOffice.scrape()
				.contains("interlock_overdue_locks_total{mode=\"exclusive\",name=\"audit\"} 1"));
			this.timeline.scrape(6);
			assertThat(handle.isValid()).isTrue();
			this.timeline.expect("InterlockHeldTooLong");
		}
	}

	/** Three callers that come one after the other, wait in vain, and come again. */
	private void callersGiveUp() {
		LockRequest request = LockRequest.exclusive("stock").withWaitTime(WAIT_TIME);
		AtomicInteger refusals = new AtomicInteger();
		try (LockHandle held = this.template.acquire(LockRequest.exclusive("stock"))) {
			AtomicBoolean over = new AtomicBoolean();
			for (int callers = 0; callers < 3; callers++) {
				this.executor.execute(() -> {
					while (!over.get()) {
						this.template.tryAcquire(request).ifPresentOrElse(LockHandle::close, refusals::incrementAndGet);
					}
				});
				scrapeAfter(WAIT_TIME.dividedBy(3));
			}
			for (int scrapes = 0; scrapes < 30 || refusals.get() < 6; scrapes++) {
				scrapeAfter(Duration.ofMillis(60));
			}
			this.timeline.expect("InterlockCallersGiveUp");
			this.timeline.expect("InterlockWaitsGrow");
			assertThat(held.isValid()).isTrue();
			over.set(true);
		}
	}

	private void jobNeverSucceeds() {
		Jobs.runAll(this.boxOffice);
		this.timeline.scrape(22);
		this.timeline.expect("InterlockJobWithoutSuccess");
	}

	private void storeIsDown(TcpProxy line) {
		LockHandle held = this.template.acquire(LockRequest.exclusive("report"));
		this.timeline.scrape();
		line.refuse();
		awaitDisconnected();
		held.close();
		// Without a hold, a database and Redis are asked after a third of the lease.
		awaitDisconnected();
		for (int i = 0; i < 30; i++) {
			try {
				this.template.tryAcquire(LockRequest.exclusive("orders").withWaitTime(Duration.ofMillis(20)));
			}
			catch (LockException ex) {
				// that it fails is the point
			}
			this.timeline.scrape();
		}
		this.timeline.expect("InterlockDisconnected");
		this.timeline.expect("InterlockUnavailable");
		this.timeline.expect("InterlockReleasesPending");
	}

	private void awaitDisconnected() {
		await().atMost(PATIENCE)
			.until(() -> this.boxOffice.scrape().contains("interlock_connection{state=\"connected\"} 0"));
	}

	private void scrapeAfter(Duration delay) {
		await().pollDelay(delay).until(() -> true);
		this.timeline.scrape();
	}

}
