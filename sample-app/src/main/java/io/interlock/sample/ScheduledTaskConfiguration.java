package io.interlock.sample;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.task.ThreadPoolTaskSchedulerCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Keeps the log short when the first instance, and with it the database, is gone: one
 * line for every scheduled task that fails instead of a stack trace every other second.
 */
@Configuration(proxyBeanMethods = false)
class ScheduledTaskConfiguration {

	private static final Log logger = LogFactory.getLog(ScheduledTaskConfiguration.class);

	@Bean
	ThreadPoolTaskSchedulerCustomizer oneLineErrorHandler() {
		return (scheduler) -> scheduler
			.setErrorHandler((failure) -> logger.warn("A scheduled task failed, the next run may not: " + failure));
	}

}
