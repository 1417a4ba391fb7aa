package io.interlock.test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.testsupport.server.Server;
import io.interlock.testsupport.server.ServerSettings;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.annotation.DirtiesContext.HierarchyMode;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.ActiveProfilesResolver;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the sessions that the cached contexts of one JVM have at a server.
 */
@Timeout(120)
class SessionsOfTestContextsTests {

	private static final int CONTEXTS = 3;

	private static Server server;

	private final List<TestContext> contexts = new ArrayList<>();

	private final Set<Thread> before = Thread.getAllStackTraces().keySet();

	@BeforeAll
	static void start(@TempDir Path directory) {
		server = Server.standalone(directory, ServerSettings.quick());
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	@AfterEach
	void close() {
		this.contexts.forEach((context) -> context.markApplicationContextDirty(HierarchyMode.EXHAUSTIVE));
		await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(sessions()).isZero());
		await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(threads()).isEmpty());
	}

	@Test
	void contextsUnderTheControlOfTheirTestHaveNone() {
		load(Controlled.class);
		assertThat(sessions()).isZero();
		assertThat(threads()).isEmpty();
	}

	@Test
	void contextsThatUseZooKeeperHaveOneEachUntilTheyAreClosed() {
		load(WithZooKeeper.class);
		assertThat(sessions()).isEqualTo(CONTEXTS);
		assertThat(threads()).filteredOn((name) -> name.contains("-SendThread(")).hasSize(CONTEXTS);
	}

	private void load(Class<?> test) {
		for (int number = 0; number < CONTEXTS; number++) {
			TestContext context = new TestContextManager(test).getTestContext();
			this.contexts.add(context);
			BoxOffice boxOffice = context.getApplicationContext().getBean(BoxOffice.class);
			assertThat(boxOffice.sell(number, () -> {
			})).isEqualTo("sold " + number);
		}
		assertThat(this.contexts).extracting(TestContext::getApplicationContext).doesNotHaveDuplicates();
	}

	/**
	 * Those of ZooKeeper clients of this test. Clients of other tests may still end.
	 */
	private List<String> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> !this.before.contains(thread))
			.map(Thread::getName)
			.filter((name) -> name.matches("Curator.*|.*-SendThread\\(.*|.*-EventThread"))
			.toList();
	}

	private static long sessions() {
		return server.monitored("zk_global_sessions");
	}

	@SpringBootTest(classes = AutoConfigureTestLocksTests.Application.class,
			properties = "interlock.startup-timeout=30s", webEnvironment = SpringBootTest.WebEnvironment.NONE)
	@ActiveProfiles(resolver = AnotherProfile.class)
	abstract static class OneOfManyContexts {

		@DynamicPropertySource
		static void properties(DynamicPropertyRegistry registry) {
			registry.add("interlock.zookeeper.connect-string", server::connectString);
		}

	}

	static class WithZooKeeper extends OneOfManyContexts {

	}

	@AutoConfigureTestLocks
	static class Controlled extends OneOfManyContexts {

	}

	/** Makes a context of its own for each use of a test class. */
	static class AnotherProfile implements ActiveProfilesResolver {

		private static final AtomicInteger NUMBERS = new AtomicInteger();

		@Override
		public String[] resolve(Class<?> testClass) {
			return new String[] { "context-" + NUMBERS.incrementAndGet() };
		}

	}

}
