package io.interlock.benchmark.scenario;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.Map;

import io.interlock.LockRequest;
import io.interlock.benchmark.contestant.AnnotatedApplication;
import io.interlock.benchmark.contestant.AnnotatedMethods;
import io.interlock.benchmark.contestant.LocalQueue;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockProvider;
import io.interlock.template.LockOperations;
import io.interlock.template.LockTemplate;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * What an annotation costs: processor time of the calling thread for each call, without a
 * server.
 */
final class AnnotationScenario implements Scenario {

	private static final double NANOS_PER_MICRO = 1000;

	private static final Map<String, Object> PROPERTIES = Map.of("spring.autoconfigure.exclude",
			"io.interlock.autoconfigure.zookeeper.CuratorAutoConfiguration");

	@Override
	public String name() {
		return "annotation";
	}

	@Override
	public String title() {
		return "What a call costs without a server, processor time of its thread";
	}

	@Override
	public String run(Site site) {
		Runnable body = () -> {
		};
		try (ConfigurableApplicationContext context = AnnotatedApplication.start(PROPERTIES, WithoutServer.class)) {
			LockOperations bare = new LockTemplate(LocalQueue.before(new InMemoryLockProvider()));
			LockOperations metered = context.getBean(LockOperations.class);
			AnnotatedMethods methods = context.getBean(AnnotatedMethods.class);
			AnnotatedMethods.Order order = new AnnotatedMethods.Order("a");
			return table(List.of(new Way("template, without listeners", () -> call(bare, body)),
					new Way("template, metrics on", () -> call(metered, body)),
					new Way("annotation with key #key, metrics on", () -> methods.exclusively("a", body)),
					new Way("annotation with key #order.number, metrics on", () -> methods.exclusively(order, body))),
					site)
				.toString();
		}
	}

	private static void call(LockOperations operations, Runnable body) {
		operations.executeWithoutResult(
				LockRequest.exclusive("benchmark").withKey("a").withWaitTime(LockRequest.FOREVER),
				(lock) -> body.run());
	}

	private static Table table(List<Way> ways, Site site) {
		int calls = (int) Math.min(200_000, site.seconds() * 50_000);
		ways.forEach((way) -> cost(way.call(), calls));
		double[][] costs = new double[ways.size()][site.rounds()];
		for (int round = 0; round < site.rounds(); round++) {
			for (int i = 0; i < costs.length; i++) {
				costs[i][round] = cost(ways.get(i).call(), calls);
			}
		}
		Table table = new Table(List.of("", "microseconds of CPU per call", "more than the bare template"));
		double bare = new Figures(costs[0]).median();
		for (int i = 0; i < costs.length; i++) {
			double cost = new Figures(costs[i]).median();
			table.add(List.of(ways.get(i).title(), Table.number(cost), Table.number(cost - bare)));
		}
		return table;
	}

	private static double cost(Runnable call, int calls) {
		ThreadMXBean threads = ManagementFactory.getThreadMXBean();
		long before = threads.getCurrentThreadCpuTime();
		for (int i = 0; i < calls; i++) {
			call.run();
		}
		return (threads.getCurrentThreadCpuTime() - before) / NANOS_PER_MICRO / calls;
	}

	/**
	 * A way to call.
	 */
	private record Way(String title, Runnable call) {

	}

	/**
	 * Replaces ZooKeeper.
	 */
	@Configuration(proxyBeanMethods = false)
	static class WithoutServer {

		@Bean
		LockProvider lockProvider() {
			return new InMemoryLockProvider();
		}

	}

}
