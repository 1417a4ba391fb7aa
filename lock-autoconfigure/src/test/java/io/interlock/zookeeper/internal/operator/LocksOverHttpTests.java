package io.interlock.zookeeper.internal.operator;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.admin.LockInspectionBusyException;
import io.interlock.admin.LockInspector;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.proxy.Operation;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import io.interlock.zookeeper.internal.engine.Instance;
import io.interlock.zookeeper.internal.engine.LocalServer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.zookeeper.CreateMode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.actuate.autoconfigure.endpoint.jmx.JmxEndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.jmx.JmxAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.test.web.servlet.client.RestTestClient;

import static io.interlock.zookeeper.internal.operator.LocksOverHttp.get;
import static io.interlock.zookeeper.internal.operator.LocksOverHttp.list;
import static io.interlock.zookeeper.internal.operator.LocksOverHttp.map;
import static io.interlock.zookeeper.internal.operator.LocksOverHttp.only;
import static io.interlock.zookeeper.internal.operator.LocksOverHttp.read;
import static io.interlock.zookeeper.internal.operator.LocksOverHttp.token;
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
	void dataThatIsLongerThanARecordIsNotRead() throws Exception {
		plant("large", CreateMode.PERSISTENT, new byte[100_000]);
		try (ZooKeeperProxy proxy = ZooKeeperProxy.to(this.application.server().port())) {
			LocksOverHttp.run(this.application.contextRunner()
				.withPropertyValues("interlock.zookeeper.connect-string=" + proxy.connectString(),
						"interlock.zookeeper.ensemble-tracker=false"),
					(context, client) -> {
						proxy.forget();
						Map<String, Object> lock = only(get(client, "/actuator/locks/cluster/large"));
						assertThat(map(list(lock, "holders").get(0), "owner")).containsEntry("kind", "NOT_READ")
							.containsEntry("text", "owner record too large (100000 bytes)");
						assertThat(proxy.count(Operation.GET_DATA)).isZero();
					});
		}
	}

	@Test
	void aThirdCallAtOnceIsRefused() throws Exception {
		try (ZooKeeperProxy proxy = ZooKeeperProxy.to(this.application.server().port())) {
			LocksOverHttp.run(
					inAHurry().withPropertyValues("interlock.zookeeper.connect-string=" + proxy.connectString()),
					(context, client) -> {
						LockInspector inspector = context.getBean(LockInspector.class);
						// A thread that comes late finds that the first calls have given
						// up.
						await().untilAsserted(() -> assertThat(refusedOfSixCalls(inspector, proxy)).isEqualTo(4));
					});
		}
	}

	/** An application whose operators wait as long as they do by default. */
	private WebApplicationContextRunner inAHurry() {
		return this.application.contextRunner().withPropertyValues("interlock.zookeeper.operator-timeout=500ms");
	}

	private static long refusedOfSixCalls(LockInspector inspector, ZooKeeperProxy proxy) {
		String refusal = "2 calls already read the locks of the cluster";
		proxy.holdReplies();
		List<String> failures = IntStream.range(0, 6)
			.mapToObj(
					(i) -> CompletableFuture.supplyAsync(() -> failure(inspector), (task) -> new Thread(task).start()))
			.toList()
			.stream()
			.map(CompletableFuture::join)
			.toList();
		proxy.heal();
		return failures.stream().filter((failure) -> failure.contains(refusal)).count();
	}

	@ParameterizedTest
	@CsvSource({ "persistent, PERSISTENT, ''", "foreign, EPHEMERAL, 192.0.2.7", "silent, EPHEMERAL, ''" })
	void nodeThatBlocksALockWithoutAHolderOfOursIsNamed(String lock, CreateMode mode, String data) throws Exception {
		plant(lock, mode, data.getBytes(StandardCharsets.UTF_8));
		try (Instance waiting = this.application.instance()) {
			LockAttempt attempt = attempt(waiting, lock);
			withShortSession((context, client) -> awaitBlocker(client, lock));
			attempt.abandon();
		}
	}

	@Test
	void holderOfOursIsNoBlockerHoweverLongItHolds() throws Exception {
		try (Instance holding = this.application.instance(); Instance waiting = this.application.instance()) {
			LockHandle held = holding.template().acquire(LockRequest.exclusive("ours"));
			LockAttempt second = attempt(waiting, "ours");
			plant("mark", CreateMode.PERSISTENT, new byte[0]);
			LockAttempt later = attempt(waiting, "mark");
			withShortSession((context, client) -> {
				awaitBlocker(client, "mark");
				assertThat(only(get(client, "/actuator/locks/cluster/ours"))).doesNotContainKey("blockedBy");
			});
			later.abandon();
			second.abandon();
			held.close();
		}
	}

	private LockAttempt attempt(Instance waiting, String lock) {
		LockRequest request = LockRequest.exclusive(lock);
		LockAttempt attempt = waiting.provider().attempt(request, LockCaller.current());
		await().until(() -> this.application.server().contenders(request).size() == 2);
		return attempt;
	}

	private void withShortSession(BiConsumer<ApplicationContext, RestTestClient> test) {
		LocksOverHttp.run(this.application.contextRunner().withPropertyValues("interlock.zookeeper.session-timeout=1s"),
				test);
	}

	private static void awaitBlocker(RestTestClient client, String lock) {
		await().atMost(Duration.ofSeconds(10))
			.untilAsserted(() -> assertThat(only(get(client, "/actuator/locks/cluster/" + lock)).get("blockedBy"))
				.isEqualTo("x-lock-0000000000"));
	}

	private void plant(String lock, CreateMode mode, byte[] data) throws Exception {
		this.application.server()
			.observer()
			.create()
			.creatingParentContainersIfNeeded()
			.withMode(mode)
			.forPath("/interlock/" + lock + "/x-lock-0000000000", data);
	}

	private static String failure(LockInspector inspector) {
		try {
			inspector.locks(new LockInspector.Query(null, null, 0, 10, 10));
			return "";
		}
		catch (LockInspectionBusyException ex) {
			return String.valueOf(ex.getMessage());
		}
	}

	@Test
	void nothingIsHeld() {
		this.application.run((context, client) -> client.get()
			.uri("/actuator/locks/cluster")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("keptIn")
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
				LockCaller owner = new LockCaller("waiter-" + i, holder.acquiredAt(), null, false);
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
			create(plain, request, "lock-", "");
			create(plain, request, "", "");
			create(plain, request, "garbage", "");
			Map<String, Object> lock = only(get(client, "/actuator/locks/cluster/shared-with-others"));
			assertThat(list(lock, "holders")).extracting((node) -> node.get("kind")).containsExactly("CURATOR_MUTEX");
			assertThat(map(list(lock, "holders").get(0), "owner")).containsEntry("kind", "ADDRESS").containsKey("text");
			assertThat(list(lock, "holders").get(0)).containsEntry("name",
					map(list(lock, "holders").get(0), "owner").get("text"));
			assertThat(list(lock, "queue").get(1)).containsEntry("name", "a client without a name");
			assertThat(list(lock, "queue")).extracting((node) -> node.get("kind"))
				.containsExactly("KAZOO_LOCK", "KAZOO_READ", "CURATOR_READ", "CURATOR_WRITE", "CURATOR_MUTEX",
						"CURATOR_MUTEX");
			assertThat(list(lock, "queue")).extracting((node) -> map(node, "owner").get("kind"))
				.containsExactly("TEXT", "EMPTY", "INTERLOCK", "TEXT", "EMPTY", "EMPTY");
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
	void busyLocksComeFirst() {
		CuratorFramework plain = this.application.plainClient();
		this.application.run((context, client) -> {
			for (String free : List.of("a", "b", "m", "z")) {
				parent(plain, free);
			}
			LockTemplate template = context.getBean(LockTemplate.class);
			Instance other = this.application.instance();
			LockHandle own = template.acquire(LockRequest.exclusive("orders"));
			LockHandle foreign = other.template().acquire(LockRequest.exclusive("stock"));
			assertThat(list(get(client, "/actuator/locks/cluster"), "locks")).extracting((lock) -> lock.get("name"))
				.containsExactly("orders", "stock", "a", "b", "m", "z");
			assertThat(list(get(client, "/actuator/locks/cluster?offset=1&limit=2"), "locks"))
				.extracting((lock) -> lock.get("name"))
				.containsExactly("stock", "a");
			Map<String, Object> busy = get(client, "/actuator/locks/cluster?busy=true");
			assertThat(busy).containsEntry("total", 2);
			assertThat(list(busy, "locks")).extracting((lock) -> lock.get("name")).containsExactly("orders", "stock");
			assertThat(list(busy, "locks")).extracting((lock) -> list(lock, "holders").get(0))
				.allSatisfy((holder) -> assertThat(holder).containsEntry("name",
						map(holder, "owner").get("instance") + ", thread " + Thread.currentThread().getName()));
			assertThat(get(client, "/actuator/locks/cluster/a?busy=true")).containsEntry("total", 0);
			foreign.close();
			own.close();
		});
	}

	private static void parent(CuratorFramework client, String name) {
		try {
			client.create().creatingParentsIfNeeded().forPath("/interlock/" + name);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void longNamesAreShownWhereTheRecordHasThem() {
		String key = "/".repeat(100);
		this.application.run((context, client) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			try (LockHandle held = template.acquire(LockRequest.exclusive("paths").withKey(key));
					LockHandle longer = template.acquire(LockRequest.exclusive("texts").withKey("x".repeat(1000)))) {
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
		LocksOverHttp.run(inAHurry(), (context, client) -> {
			get(client, "/actuator/locks/cluster");
			stopServer();
			List<Duration> times = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				long start = System.nanoTime();
				assertThat(read(client.get(), "/actuator/locks/cluster", 503)).containsEntry("error", "UNAVAILABLE")
					.containsKey("message");
				times.add(Duration.ofNanos(System.nanoTime() - start));
			}
			// A thread may stand still in one of them.
			assertThat(times).allMatch((time) -> time.compareTo(Duration.ofSeconds(4)) < 0);
			assertThat(Collections.min(times)).isLessThan(Duration.ofSeconds(1));
			client.get().uri("/actuator/locks").exchange().expectStatus().isOk();
		});
	}

	@Test
	void silentServerIsAnErrorWithinASecond() {
		try (ZooKeeperProxy proxy = ZooKeeperProxy.to(this.application.server().port())) {
			LocksOverHttp.run(
					inAHurry().withPropertyValues("interlock.zookeeper.connect-string=" + proxy.connectString()),
					(context, client) -> {
						get(client, "/actuator/locks/cluster");
						proxy.blackHole();
						// Again while a loaded machine lets threads stand still.
						await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
							long start = System.nanoTime();
							client.get().uri("/actuator/locks/cluster").exchange().expectStatus().isEqualTo(503);
							assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
						});
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
