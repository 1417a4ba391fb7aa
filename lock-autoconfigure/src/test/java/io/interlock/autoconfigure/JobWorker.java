package io.interlock.autoconfigure;

import java.util.Scanner;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.autoconfigure.zookeeper.CuratorAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * A process with a job, whose clock is behind by a time of its own. It fires the job for
 * each line of its input, says whether it ran, and stops in good order when it is told
 * to.
 */
final class JobWorker {

	static final String READY = "ready";

	static final String JOB = "job ";

	static final String RAN = "ran";

	static final String STOP = "stop";

	static final String STOPPED = "stopped";

	/** Long enough for all instances to fire, also on a busy machine. */
	static final int MIN_HOLD_SECONDS = 3;

	private static final String MIN_HOLD = MIN_HOLD_SECONDS + "s";

	private JobWorker() {
	}

	public static void main(String[] args) {
		long late = Long.parseLong(args[1]);
		ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1);
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.properties("interlock.zookeeper.connect-string=" + args[0], "spring.docker.compose.enabled=false",
					"interlock.zookeeper.session-timeout=4s")
			.run(); Scanner lines = new Scanner(System.in)) {
			Settlement settlement = context.getBean(Settlement.class);
			System.out.println(READY);
			while (lines.hasNextLine() && !lines.nextLine().equals(STOP)) {
				clock.schedule(() -> System.out.println(JOB + ((settlement.settle() != null) ? RAN : "skipped")), late,
						TimeUnit.MILLISECONDS);
			}
		}
		System.out.println(STOPPED);
		clock.shutdownNow();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ CuratorAutoConfiguration.class, InterlockAutoConfiguration.class,
			ZooKeeperLockAutoConfiguration.class, LockAnnotationsAutoConfiguration.class, AopAutoConfiguration.class })
	static class Application {

		@Bean
		Settlement settlement() {
			return new Settlement();
		}

	}

	static class Settlement {

		@DistributedLock(name = "settlement", minHold = MIN_HOLD, onContention = ContentionPolicy.SKIP)
		public Boolean settle() {
			return true;
		}

	}

}
