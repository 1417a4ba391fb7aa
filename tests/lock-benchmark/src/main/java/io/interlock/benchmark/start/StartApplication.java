package io.interlock.benchmark.start;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.stream.Collectors;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.EventListener;

/**
 * An application with one annotated method. It tells when it is ready, and then answers
 * each line with one line until its input ends.
 *
 * @since 0.1.0
 */
@SpringBootApplication(proxyBeanMethods = false)
public class StartApplication {

	static final String READY = "ready ";

	static final String ANSWER = "answer ";

	static final String CALL = "call";

	static final String THREADS = "threads";

	static final String SEPARATOR = "\t";

	@EventListener
	void ready(ApplicationReadyEvent event) {
		Duration cpu = ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
		long classes = ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount();
		Duration taken = Objects.requireNonNull(event.getTimeTaken(), "Boot measures each start");
		System.out.println(READY + taken.toNanos() + SEPARATOR + cpu.toNanos() + SEPARATOR + classes);
	}

	/**
	 * Run the application until its input ends.
	 * @param args properties
	 * @throws IOException if its input cannot be read
	 */
	public static void main(String[] args) throws IOException {
		try (ConfigurableApplicationContext context = SpringApplication.run(StartApplication.class, args)) {
			BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
			for (String line = commands.readLine(); line != null; line = commands.readLine()) {
				System.out.println(ANSWER + (line.equals(CALL) ? call(context.getBean(Orders.class)) : threads()));
			}
		}
		System.exit(0);
	}

	private static String call(Orders orders) {
		long startedAt = System.nanoTime();
		orders.place("1");
		return AopUtils.isAopProxy(orders) + SEPARATOR + (System.nanoTime() - startedAt);
	}

	/** Threads that every JVM has are left out. */
	private static String threads() {
		Thread self = Thread.currentThread();
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread != self && self.getThreadGroup().parentOf(thread.getThreadGroup()))
			.map(Thread::getName)
			.sorted()
			.collect(Collectors.joining(SEPARATOR));
	}

}
