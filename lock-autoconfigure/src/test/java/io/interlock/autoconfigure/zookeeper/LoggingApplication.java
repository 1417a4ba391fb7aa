package io.interlock.autoconfigure.zookeeper;

import java.time.Duration;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.template.LockOperations;
import io.interlock.testsupport.process.JavaProcess;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/**
 * An application that holds one lock, asks for another one again and again, and logs as
 * Spring Boot has it.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ CuratorAutoConfiguration.class, InterlockAutoConfiguration.class,
		ZooKeeperLockAutoConfiguration.class })
class LoggingApplication {

	static final String STARTED = "started";

	public static void main(String[] args) {
		JavaProcess.endWithParent();
		SpringApplication application = new SpringApplication(LoggingApplication.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		LockOperations locks = application.run(args).getBean(LockOperations.class);
		System.out.println(STARTED);
		LockHandle held = locks.acquire(LockRequest.exclusive("held").withWaitTime(Duration.ofMinutes(5)));
		System.out.println(held);
		while (true) {
			try {
				locks.execute(LockRequest.exclusive("asked").withWaitTime(Duration.ofSeconds(1)),
						(lock) -> held.isValid());
			}
			catch (LockException ex) {
				// An outage.
			}
		}
	}

}
