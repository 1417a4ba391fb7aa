package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.CuratorAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.tier.Deep;
import io.interlock.zookeeper.internal.session.SessionLease;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for interruptions that are longer than a third of the session timeout and shorter
 * than the session, on the client that the starter makes and with its default settings.
 * All of them happen at once, each to an application of its own.
 */
@Timeout(240)
class ShortOutageTests {

	private LocalServer server;

	private final ExecutorService applications = Executors.newCachedThreadPool();

	@BeforeEach
	void start() throws Exception {
		this.server = new LocalServer();
	}

	@AfterEach
	void stop() throws Exception {
		this.applications.shutdownNow();
		this.server.close();
	}

	/**
	 * The longest outages, and those of a short session, end few seconds before the holds
	 * would, and a machine that stands still then makes them too long: those that were
	 * not survived are repeated.
	 */
	@Deep
	@Test
	@Proves(value = Promise.THE_PLACE_IN_THE_QUEUE, under = Fault.EVERY_OUTAGE,
			note = "of 12, 15 and 22 s, with the default session timeout")
	void sessionHoldAndPlaceSurvive() throws Exception {
		surviveAll("", List.of(12, 15, 22));
	}

	@Test
	@Proves(value = Promise.THE_PLACE_IN_THE_QUEUE, under = Fault.EVERY_OUTAGE,
			note = "of 4 and 5 s, with a session timeout of 10 s")
	void shortSessionHoldAndPlaceSurvive() throws Exception {
		surviveAll("10s", List.of(4, 5));
	}

	private void surviveAll(String sessionTimeout, List<Integer> durations) throws Exception {
		List<Consumer<TcpProxy>> faults = List.of(TcpProxy::refuse, TcpProxy::blackHole);
		List<Outage> outages = new ArrayList<>();
		for (int seconds : durations) {
			for (Consumer<TcpProxy> fault : faults) {
				Outage outage = new Outage(this.server, sessionTimeout, Duration.ofSeconds(seconds), fault,
						"%d-%d".formatted(seconds, faults.indexOf(fault)));
				outages.add(outage);
			}
		}
		List<Outage> repeated = new ArrayList<>();
		Map<Outage, Future<?>> running = begin(outages);
		for (Outage outage : outages) {
			try {
				running.get(outage).get(90, TimeUnit.SECONDS);
			}
			catch (ExecutionException ex) {
				if (!outage.isLongest()) {
					throw ex;
				}
				repeated.add(outage.again());
			}
		}
		for (Future<?> again : begin(repeated).values()) {
			again.get(90, TimeUnit.SECONDS);
		}
	}

	private Map<Outage, Future<?>> begin(List<Outage> outages) {
		Map<Outage, Future<?>> running = new HashMap<>();
		outages.forEach((outage) -> running.put(outage, this.applications.submit(outage::survive)));
		return running;
	}

	private static final class Outage {

		private static final Duration LONGEST = Duration.ofSeconds(22);

		private final LocalServer server;

		/** As applications configure it; empty for the default. */
		private final String sessionTimeout;

		private final Duration duration;

		private final Consumer<TcpProxy> fault;

		private final String key;

		private final LockRequest held;

		private final LockRequest wanted;

		Outage(LocalServer server, String sessionTimeout, Duration duration, Consumer<TcpProxy> fault, String key) {
			this.server = server;
			this.sessionTimeout = sessionTimeout;
			this.duration = duration;
			this.fault = fault;
			this.key = key;
			this.held = LockRequest.exclusive("outage-held").withKey(key);
			this.wanted = LockRequest.exclusive("outage-wanted").withKey(key).withWaitTime(Duration.ofSeconds(60));
		}

		Outage again() {
			return new Outage(this.server, this.sessionTimeout, this.duration, this.fault, this.key + "-again");
		}

		boolean isLongest() {
			return this.duration.equals(LONGEST) || !this.sessionTimeout.isEmpty();
		}

		Void survive() {
			try (TcpProxy proxy = TcpProxy.to(this.server.port())) {
				new ApplicationContextRunner()
					.withConfiguration(AutoConfigurations.of(CuratorAutoConfiguration.class,
							InterlockAutoConfiguration.class, ZooKeeperLockAutoConfiguration.class))
					.withPropertyValues("interlock.zookeeper.connect-string=" + proxy.connectString())
					.withPropertyValues(this.sessionTimeout.isEmpty() ? new String[0]
							: new String[] { "interlock.zookeeper.session-timeout=" + this.sessionTimeout })
					.run((context) -> assertThatItCostsNothing(context, proxy));
			}
			return null;
		}

		private void assertThatItCostsNothing(ApplicationContext context, TcpProxy proxy) throws Exception {
			LockTemplate template = context.getBean(LockTemplate.class);
			CuratorFramework client = context.getBean(CuratorFramework.class);
			AtomicInteger losses = new AtomicInteger();
			try (Instance other = Instance.connectedTo(this.server.connectString());
					LockHandle lock = template.acquire(this.held)) {
				lock.onLoss(losses::incrementAndGet);
				LockHandle inFront = other.template().acquire(this.wanted);
				CompletableFuture<LockHandle> waiting = CompletableFuture
					.supplyAsync(() -> template.acquire(this.wanted));
				await().until(() -> this.server.contenders(this.wanted).size() == 2);
				long session = sessionOf(client);
				Map<String, Long> before = nodes();
				awaitTheEndOfABeat(lock);
				interrupt(proxy);
				await().atMost(Duration.ofSeconds(10))
					.ignoreExceptionsInstanceOf(LockServiceUnavailableException.class)
					.untilAsserted(lock::verify);
				assertThat(sessionOf(client)).as("session after %s", this.duration).isEqualTo(session);
				assertThat(nodes()).as("nodes and their sessions after %s", this.duration).isEqualTo(before);
				await().atMost(Duration.ofSeconds(10)).until(lock::isValid);
				assertThat(losses).as("losses after %s", this.duration).hasValue(0);
				inFront.close();
				try (LockHandle granted = waiting.get(10, TimeUnit.SECONDS)) {
					assertThat(before.keySet()).containsAll(this.server.contenders(this.wanted));
					assertThat(granted.isValid()).isTrue();
				}
			}
		}

		/**
		 * Wait for the moment in which an outage is worst: the next beat is almost due.
		 */
		private static void awaitTheEndOfABeat(LockHandle lock) {
			SessionLease lease = lock.unwrap(NodeGrant.class).orElseThrow().lease();
			long soon = lease.busyBeatNanos() - TimeUnit.MILLISECONDS.toNanos(300);
			await().pollInterval(Duration.ofMillis(20)).until(() -> !lease.isYoung(System.nanoTime(), soon));
		}

		/**
		 * Wait for as long as the line is interrupted. Nothing tells when it is over.
		 */
		private void interrupt(TcpProxy proxy) {
			long until = System.nanoTime() + this.duration.toNanos();
			this.fault.accept(proxy);
			await().atMost(this.duration.plusSeconds(5)).until(() -> System.nanoTime() - until >= 0);
			proxy.heal();
		}

		private static long sessionOf(CuratorFramework client) throws Exception {
			return client.getZookeeperClient().getZooKeeper().getSessionId();
		}

		/**
		 * Return the nodes of both locks, each with its session.
		 */
		private Map<String, Long> nodes() throws Exception {
			Map<String, Long> nodes = new HashMap<>();
			for (LockRequest request : List.of(this.held, this.wanted)) {
				for (String name : this.server.contenders(request)) {
					String path = LocalServer.pathOf(request) + "/" + name;
					nodes.put(name, this.server.observer().checkExists().forPath(path).getEphemeralOwner());
				}
			}
			return nodes;
		}

	}

}
