package io.interlock.devtools;

import java.io.IOException;
import java.net.URL;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.annotation.DistributedLock;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.LockAnnotationsAutoConfiguration;
import io.interlock.autoconfigure.leader.LeaderElectionAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.CuratorAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockOperations;
import org.apache.curator.test.TestingServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.devtools.restart.classloader.RestartClassLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests an application that Spring Boot's developer tools restart: its own classes are
 * loaded again, and those of its libraries are not.
 */
@Timeout(60)
class DevToolsRestartTests {

	private static final LockRequest STOCK = LockRequest.exclusive("stock").withWaitTime(Duration.ofSeconds(10));

	/** Is started once in a JVM, by the first that asks, and has its class loader. */
	private static final String DELAYS_OF_THE_JDK = "CompletableFutureDelayScheduler";

	private static TestingServer server;

	@BeforeAll
	static void startServer() throws Exception {
		server = new TestingServer();
	}

	@AfterAll
	static void stopServer() throws IOException {
		server.close();
	}

	@Test
	void anApplicationThatIsRestartedLocksAgain() throws Exception {
		LockHandle left;
		try (ConfigurableApplicationContext context = run(restarted())) {
			assertThat(stock(context).get()).isEqualTo("stock");
			left = context.getBean(LockOperations.class).acquire(STOCK);
		}
		try (ConfigurableApplicationContext context = run(restarted())) {
			assertThat(stock(context).get()).isEqualTo("stock");
			assertThat(left.isValid()).isFalse();
			left.close();
		}
	}

	@Test
	void noThreadOfTheLocksKeepsTheClassesOfAClosedContext() throws Exception {
		ClassLoader classLoader = restarted();
		try (ConfigurableApplicationContext context = run(classLoader)) {
			stock(context).get();
			Callable<CompletableFuture<ClassLoader>> orders = future(context);
			onThreadOf(classLoader, () -> orders.call().join());
		}
		Awaitility.await()
			.atMost(30, TimeUnit.SECONDS)
			.untilAsserted(() -> assertThat(threadsOf(classLoader)).isEmpty());
	}

	@Test
	void anAsynchronousBodySeesTheClassesOfTheApplication() throws Exception {
		ClassLoader classLoader = restarted();
		try (ConfigurableApplicationContext context = run(classLoader)) {
			Callable<CompletableFuture<ClassLoader>> orders = future(context);
			assertThat(onThreadOf(classLoader, () -> orders.call().join())).isSameAs(classLoader);
		}
	}

	/** A class loader that has the classes of this module's tests, as those of an IDE. */
	private static ClassLoader restarted() {
		URL tests = DevToolsRestartTests.class.getProtectionDomain().getCodeSource().getLocation();
		return new RestartClassLoader(DevToolsRestartTests.class.getClassLoader(), new URL[] { tests });
	}

	private static ConfigurableApplicationContext run(ClassLoader classLoader) throws Exception {
		Class<?> application = ClassUtils.forName(Application.class.getName(), classLoader);
		assertThat(application.getClassLoader()).isSameAs(classLoader);
		return onThreadOf(classLoader,
				() -> new SpringApplicationBuilder(new DefaultResourceLoader(classLoader), application)
					.web(WebApplicationType.NONE)
					.properties("interlock.zookeeper.connect-string=" + server.getConnectString(),
							"spring.main.banner-mode=off")
					.run());
	}

	/** The developer tools start and call the application on such threads. */
	private static <T> T onThreadOf(ClassLoader classLoader, Callable<T> call) throws Exception {
		FutureTask<T> task = new FutureTask<>(call);
		Thread thread = new Thread(task, "restartedMain");
		thread.setContextClassLoader(classLoader);
		thread.start();
		return task.get();
	}

	private static List<Thread> threadsOf(ClassLoader classLoader) {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getContextClassLoader() == classLoader)
			.filter((thread) -> !thread.getName().equals(DELAYS_OF_THE_JDK))
			.toList();
	}

	@SuppressWarnings("unchecked")
	private static Supplier<String> stock(ConfigurableApplicationContext context) {
		return (Supplier<String>) context.getBean("stock");
	}

	@SuppressWarnings("unchecked")
	private static Callable<CompletableFuture<ClassLoader>> future(ConfigurableApplicationContext context) {
		return (Callable<CompletableFuture<ClassLoader>>) context.getBean("orders");
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, CuratorAutoConfiguration.class,
			InterlockAutoConfiguration.class, ZooKeeperLockAutoConfiguration.class,
			LockAnnotationsAutoConfiguration.class, LeaderElectionAutoConfiguration.class })
	public static class Application {

		@Bean
		Stock stock(HeldLocks locks) {
			return new Stock(locks);
		}

		@Bean
		Orders orders() {
			return new Orders();
		}

	}

	public static class Stock implements Supplier<String> {

		private final HeldLocks locks;

		Stock(HeldLocks locks) {
			this.locks = locks;
		}

		@Override
		@DistributedLock(name = "stock", waitTime = "10s")
		public String get() {
			return this.locks.held().get(0).id().name();
		}

	}

	public static class Orders implements Callable<CompletableFuture<ClassLoader>> {

		@Override
		@DistributedLock(name = "orders", waitTime = "10s")
		public CompletableFuture<ClassLoader> call() {
			return CompletableFuture.completedFuture(Thread.currentThread().getContextClassLoader());
		}

	}

}
