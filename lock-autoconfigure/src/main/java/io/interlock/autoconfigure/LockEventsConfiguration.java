package io.interlock.autoconfigure;

import io.interlock.event.EventPublishingLockListener;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Publishes lock events to the application context.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(name = "interlock.events.enabled", matchIfMissing = true)
class LockEventsConfiguration {

	@Bean
	@ConditionalOnMissingBean
	EventPublishingLockListener eventPublishingLockListener(ApplicationEventPublisher publisher) {
		return new EventPublishingLockListener(publisher);
	}

}
