package io.interlock.faults.worker;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import io.interlock.LockRequest;
import io.interlock.faults.time.Lapse;
import io.interlock.template.LockTemplate;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.ContextClosedEvent;

/**
 * An application with a job that holds a lock until the application stops, and then for
 * as long as it takes to come to an end.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
@Import(HolderApplication.Job.class)
public class HolderApplication {

	/**
	 * What it prints when it holds the lock.
	 */
	public static final String HELD = "held";

	public static void main(String[] args) {
		new SpringApplicationBuilder(HolderApplication.class).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.run(args)
			.getBean(Job.class)
			.start();
	}

	/**
	 * The job.
	 */
	static class Job implements ApplicationListener<ContextClosedEvent> {

		private final LockTemplate locks;

		private final LockRequest request;

		private final Duration ending;

		private final CountDownLatch closing = new CountDownLatch(1);

		Job(LockTemplate locks, @Value("${job.lock}") String lock, @Value("${job.ending}") Duration ending) {
			this.locks = locks;
			this.request = LockRequest.exclusive(lock);
			this.ending = ending;
		}

		void start() {
			new Thread(this::run, "job").start();
		}

		private void run() {
			this.locks.executeWithoutResult(this.request, (lock) -> {
				System.out.println(HELD);
				try {
					this.closing.await();
					Lapse.of(this.ending);
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
			});
		}

		@Override
		public void onApplicationEvent(ContextClosedEvent event) {
			this.closing.countDown();
		}

	}

}
