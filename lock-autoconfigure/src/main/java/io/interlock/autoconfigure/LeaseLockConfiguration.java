package io.interlock.autoconfigure;

import io.interlock.lease.LeaseLockProvider;
import io.interlock.template.HeldLocks;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What locks in a database and in Redis have in common. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnSingleCandidate(LeaseLockProvider.class)
class LeaseLockConfiguration {

	@Bean
	@ConditionalOnBooleanProperty("interlock.admin.enabled")
	SmartInitializingSingleton interlockLeaseRequests(LeaseLockProvider provider, HeldLocks heldLocks) {
		return () -> provider.passRequestsOn(heldLocks::requestRevocation);
	}

}
