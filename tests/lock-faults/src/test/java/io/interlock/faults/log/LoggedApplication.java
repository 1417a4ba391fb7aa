package io.interlock.faults.log;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.interlock.LockException;
import io.interlock.LockRequest;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.template.LockOperations;
import io.interlock.testsupport.process.JavaProcess;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * An application as Spring Boot makes it, with one scheduled job that is skipped while
 * another instance runs it, and one caller that waits for a lock. Both act once in a
 * period.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableScheduling
class LoggedApplication {

	static final String STARTED = "started";

	static final String PERIOD = "period";

	public static void main(String[] args) {
		JavaProcess.endWithParent();
		SpringApplication application = new SpringApplication(LoggedApplication.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		var context = application.run(args);
		LockOperations locks = context.getBean(LockOperations.class);
		long period = context.getEnvironment().getRequiredProperty(PERIOD, Long.class);
		ScheduledExecutorService caller = Executors.newSingleThreadScheduledExecutor((task) -> {
			Thread thread = new Thread(task, "caller");
			thread.setDaemon(true);
			return thread;
		});
		caller.scheduleAtFixedRate(() -> call(locks, Duration.ofMillis(period / 2)), 0, period, TimeUnit.MILLISECONDS);
		System.out.println(STARTED);
	}

	private static void call(LockOperations locks, Duration waitTime) {
		try {
			locks.execute(LockRequest.exclusive("asked").withWaitTime(waitTime), (lock) -> lock.fencingToken());
		}
		catch (LockException ex) {
			// An outage.
		}
	}

	@Bean
	Job job() {
		return new Job();
	}

	static class Job {

		@Scheduled(fixedRateString = "${" + PERIOD + "}")
		@DistributedLock(name = "job", onContention = ContentionPolicy.SKIP)
		void run() {
		}

	}

}
