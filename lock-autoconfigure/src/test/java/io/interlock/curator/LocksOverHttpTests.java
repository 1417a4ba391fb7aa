package io.interlock.curator;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

import io.interlock.LockAttempt;
import io.interlock.LockHandle;
import io.interlock.LockOwner;
import io.interlock.LockRequest;
import io.interlock.proxy.ZooKeeperProxy;
import io.interlock.template.LockTemplate;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.zookeeper.CreateMode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.autoconfigure.endpoint.jmx.JmxEndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.jmx.JmxAutoConfiguration;

import static io.interlock.curator.LocksOverHttp.get;
import static io.interlock.curator.LocksOverHttp.list;
import static io.interlock.curator.LocksOverHttp.map;
import static io.interlock.curator.LocksOverHttp.only;
import static io.interlock.curator.LocksOverHttp.read;
import static io.interlock.curator.LocksOverHttp.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the locks of a cluster over HTTP, with a server.
 */
class LocksOverHttpTests {

	private final LocksOverHttp application;

	LocksOverHttpTests() throws Exception {
		this.application = new LocksOverHttp();
	}

	@AfterEach
	void close() throws Exception {
		this.application.close();
	}

	@Test
	void nothingIsHeld() {
		this.application.run((context, client) -> client.get()
			.uri("/actuator/locks/cluster")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("rootPath")
			.isEqualTo("/interlock")
			.jsonPath("total")
			.isEqualTo(0)
			.jsonPath("limit")
			.isEqualTo(100)
			.jsonPath("queueLimit")
			.isEqualTo(10)
			.jsonPath("locks")
			.isEmpty());
	}

	@Test
	void holderIsShownWithItsRecord() {
		this.application.run((context, client) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			try (LockHandle held = template.acquire(LockRequest.exclusive("orders").withKey("a/b"))) {
				Map<String, Object> lock = only(get(client, "/actuator/locks/cluster"));
				assertThat(lock).containsEntry("name", "orders")
					.containsEntry("key", "a/b")
					.containsEntry("exact", true)
					.containsEntry("path", "/interlock/orders:a%2Fb")
					.containsEntry("readable", true)
					.containsEntry("mode", "EXCLUSIVE")
					.containsEntry("contenders", 1)
					.containsEntry("queue", List.of());
				Map<String, Object> holder = list(lock, "holders").get(0);
				assertThat(token(holder)).isEqualTo(held.fencingToken());
				assertThat(holder).containsEntry("position", 0)
					.containsEntry("kind", "CURATOR_MUTEX")
					.containsKeys("since", "age", "session");
				assertThat(map(holder, "owner")).containsEntry("kind", "INTERLOCK")
					.containsEntry("version", 1)
					.containsEntry("application", "shop")
					.containsEntry("pid", (int) ProcessHandle.current().pid())
					.containsEntry("thread", Thread.currentThread().getName())
					.containsEntry("name", "orders")
					.containsEntry("key", "a/b")
					.containsKeys("host", "instance", "since");
			}
		});
	}

	@Test
	void hundredWaitersOfThreeInstancesAreShownInOrder() {
		LockRequest request = LockRequest.exclusive("rush");
		List<Instance> instances = List.of(this.application.instance(), this.application.instance(),
				this.application.instance());
		this.application.run((context, client) -> {
			LockHandle holder = instances.get(0).template().acquire(request);
			List<LockAttempt> waiters = new ArrayList<>();
			for (int i = 0; i < 100; i++) {
				LockOwner owner = new LockOwner("waiter-" + i, holder.acquiredAt(), null);
				waiters.add(instances.get(i % 3).provider().attempt(request, owner));
				int contenders = i + 2;
				await().pollInterval(Duration.ofMillis(2))
					.until(() -> this.application.server().contenders(request).size() == contenders);
			}
			Map<String, Object> page = get(client, "/actuator/locks/cluster/rush");
			Map<String, Object> lock = only(page);
			assertThat(page).containsEntry("queueLimit", 100);
			assertThat(lock).containsEntry("contenders", 101).containsEntry("omitted", 1);
			assertThat(list(lock, "holders")).singleElement()
				.satisfies((node) -> assertThat(token(node)).isEqualTo(holder.fencingToken()));
			assertThat(list(lock, "queue")).hasSize(99)
				.extracting((node) -> Objects.requireNonNull(map(node, "owner").get("thread")).toString())
				.startsWith("waiter-0", "waiter-1", "waiter-2")
				.endsWith("waiter-97", "waiter-98");
			assertThat(list(only(get(client, "/actuator/locks/cluster/rush?queueLimit=1000")), "queue")).hasSize(100);
			assertThat(only(get(client, "/actuator/locks/cluster"))).containsEntry("contenders", 101)
				.containsEntry("omitted", 91);
			waiters.forEach(LockAttempt::abandon);
			holder.close();
		});
	}

	@Test
	void nodesOfOtherClientsAreShownAsWhatTheyAre() {
		LockRequest request = LockRequest.exclusive("shared-with-others");
		CuratorFramework plain = this.application.plainClient();
		this.application.run((context, client) -> {
			InterProcessMutex stock = new InterProcessMutex(plain, LocalServer.pathOf(request));
			acquire(stock);
			create(plain, request, "0d1c51cb7ff44a6d9a1ab53b9d9e0a2c__lock__", "worker-7 of <script>");
			create(plain, request, "0d1c51cb7ff44a6d9a1ab53b9d9e0a2d__rlock__", "");
			create(plain, request, "_c_2c5b4e8e-6e0b-4c5c-9d0e-1b1a7c3f7a55-__READ__",
					"{\"version\":9,\"mood\":\"good\"}");
			create(plain, request, "_c_2c5b4e8e-6e0b-4c5c-9d0e-1b1a7c3f7a56-__WRIT__", "\u0000");
			create(plain, request, "garbage", "");
			Map<String, Object> lock = only(get(client, "/actuator/locks/cluster/shared-with-others"));
			assertThat(list(lock, "holders")).extracting((node) -> node.get("kind")).containsExactly("CURATOR_MUTEX");
			assertThat(map(list(lock, "holders").get(0), "owner")).containsEntry("kind", "ADDRESS").containsKey("text");
			assertThat(list(lock, "queue")).extracting((node) -> node.get("kind"))
				.containsExactly("KAZOO_LOCK", "KAZOO_READ", "CURATOR_READ", "CURATOR_WRITE");
			assertThat(list(lock, "queue")).extracting((node) -> map(node, "owner").get("kind"))
				.containsExactly("TEXT", "EMPTY", "INTERLOCK", "TEXT");
			assertThat(map(list(lock, "queue").get(0), "owner")).containsEntry("text", "worker-7 of <script>");
			assertThat((List<?>) lock.get("others")).hasSize(1);
		});
	}

	@Test
	void readersThatHoldTogetherAreAllHolders() {
		LockRequest request = LockRequest.shared("report");
		CuratorFramework plain = this.application.plainClient();
		this.application.run((context, client) -> {
			create(plain, request, "a-__READ__", "");
			create(plain, request, "b-__READ__", "");
			create(plain, request, "c-__WRIT__", "");
			create(plain, request, "d-__READ__", "");
			Map<String, Object> lock = only(get(client, "/actuator/locks/cluster/report"));
			assertThat(lock).containsEntry("mode", "SHARED");
			assertThat(list(lock, "holders")).hasSize(2);
			assertThat(list(lock, "queue")).extracting((node) -> node.get("mode"))
				.containsExactly("EXCLUSIVE", "SHARED");
		});
	}

	@Test
	void locksComeInPages() {
		this.application.run((context, client) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			List<LockHandle> held = new ArrayList<>();
			for (int i = 0; i < 30; i++) {
				held.add(template.acquire(LockRequest.exclusive("orders").withKey("%02d".formatted(i))));
			}
			held.add(template.acquire(LockRequest.exclusive("other")));
			Map<String, Object> page = get(client, "/actuator/locks/cluster/orders?offset=10&limit=5");
			assertThat(page).containsEntry("total", 30).containsEntry("offset", 10).containsEntry("limit", 5);
			assertThat(list(page, "locks")).extracting((lock) -> lock.get("key"))
				.containsExactly("10", "11", "12", "13", "14");
			assertThat(get(client, "/actuator/locks/cluster?limit=1")).containsEntry("total", 31);
			assertThat(only(get(client, "/actuator/locks/cluster/orders?key=07"))).containsEntry("key", "07");
			assertThat(only(get(client, "/actuator/locks/cluster?name=other"))).containsEntry("name", "other");
			held.forEach(LockHandle::close);
		});
	}

	@Test
	void longNamesAreShownWhereTheRecordHasThem() {
		String key = "/".repeat(100);
		this.application.run((context, client) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			try (LockHandle held = template.acquire(LockRequest.exclusive("paths").withKey(key));
					LockHandle longer = template.acquire(LockRequest.exclusive("texts").withKey("x".repeat(5000)))) {
				assertThat(held.isValid() && longer.isValid()).isTrue();
				assertThat(only(get(client, "/actuator/locks/cluster/paths"))).containsEntry("key", key)
					.containsEntry("exact", true);
				assertThat(only(get(client, "/actuator/locks/cluster/texts"))).containsEntry("name", "texts")
					.containsEntry("key", "x".repeat(94) + "...")
					.containsEntry("exact", false);
			}
		});
	}

	@Test
	void foreignNodesBelowTheRootAreShownAsTheyAre() {
		this.application.run((context, client) -> {
			createLock("/interlock/not ours%");
			createLock("/interlock/.admin");
			assertThat(only(get(client, "/actuator/locks/cluster"))).containsEntry("name", "not ours%")
				.containsEntry("exact", false)
				.containsEntry("contenders", 0);
		});
	}

	@Test
	void stoppedServerIsAnErrorAtOnce() {
		this.application.run((context, client) -> {
			get(client, "/actuator/locks/cluster");
			stopServer();
			for (int i = 0; i < 3; i++) {
				long start = System.nanoTime();
				assertThat(read(client.get(), "/actuator/locks/cluster", 503)).containsEntry("error", "UNAVAILABLE")
					.containsKey("message");
				assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
			}
			client.get().uri("/actuator/locks").exchange().expectStatus().isOk();
		});
	}

	@Test
	void silentServerIsAnErrorWithinASecond() {
		try (ZooKeeperProxy proxy = ZooKeeperProxy.to(this.application.server().port())) {
			LocksOverHttp.run(
					this.application.contextRunner()
						.withPropertyValues("interlock.zookeeper.connect-string=" + proxy.connectString()),
					(context, client) -> {
						get(client, "/actuator/locks/cluster");
						proxy.blackHole();
						long start = System.nanoTime();
						client.get().uri("/actuator/locks/cluster").exchange().expectStatus().isEqualTo(503);
						assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
					});
		}
	}

	@Test
	void badParametersAreRefused() {
		this.application.run((context, client) -> {
			for (String query : List.of("limit=0", "limit=1001", "limit=x", "offset=-1", "queueLimit=0", "key=1",
					"name= ")) {
				client.get().uri("/actuator/locks/cluster?" + query).exchange().expectStatus().isBadRequest();
			}
			client.get().uri("/actuator/locks/elsewhere").exchange().expectStatus().isNotFound();
			client.get().uri("/actuator/locks/elsewhere/orders").exchange().expectStatus().isNotFound();
		});
	}

	@Test
	void locksAreShownOverJmxToo() {
		LocksOverHttp.run(this.application.contextRunner()
			.withConfiguration(AutoConfigurations.of(JmxAutoConfiguration.class, JmxEndpointAutoConfiguration.class))
			.withPropertyValues("spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=locks",
					"spring.jmx.unique-names=true"),
				(context, client) -> {
					try (LockHandle held = context.getBean(LockTemplate.class)
						.acquire(LockRequest.exclusive("orders"))) {
						assertThat(held.isValid()).isTrue();
						assertThat(invoke(context.getBean(MBeanServer.class), "clusterLocks", "orders", null, null,
								null, null))
							.extracting("total")
							.isEqualTo(1);
						assertThat(invoke(context.getBean(MBeanServer.class), "locks", "orders", true, null))
							.extracting("counts.held")
							.isEqualTo(1);
					}
				});
	}

	private static Object invoke(MBeanServer server, String operation, @Nullable Object... arguments) {
		try {
			ObjectName name = server.queryNames(new ObjectName("*:type=Endpoint,name=Locks,*"), null).iterator().next();
			return server.invoke(name, operation, arguments, new String[arguments.length]);
		}
		catch (JMException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void unknownNameIsHeldByNobody() {
		this.application.run((context, client) -> assertThat(get(client, "/actuator/locks/cluster/unknown"))
			.containsEntry("total", 0)
			.containsEntry("locks", List.of()));
	}

	private void stopServer() {
		try {
			this.application.server().stop();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void acquire(InterProcessMutex mutex) {
		try {
			assertThat(mutex.acquire(10, TimeUnit.SECONDS)).isTrue();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void create(CuratorFramework client, LockRequest request, String node, String data) {
		try {
			client.create()
				.creatingParentContainersIfNeeded()
				.withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
				.forPath(LocalServer.pathOf(request) + "/" + node, data.getBytes(StandardCharsets.UTF_8));
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void createLock(String path) {
		try {
			this.application.server().observer().create().creatingParentsIfNeeded().forPath(path);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
