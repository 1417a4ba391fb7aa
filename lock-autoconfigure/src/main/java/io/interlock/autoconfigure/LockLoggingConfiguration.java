package io.interlock.autoconfigure;

import io.interlock.logging.MdcLockListener;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * What a thread holds, in the context of its log lines. Comes before other listeners, so
 * that theirs have it too.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(name = "interlock.logging.mdc", matchIfMissing = true)
class LockLoggingConfiguration {

	@Bean
	@ConditionalOnMissingBean
	@Order(Ordered.HIGHEST_PRECEDENCE)
	MdcLockListener mdcLockListener() {
		return new MdcLockListener();
	}

}
