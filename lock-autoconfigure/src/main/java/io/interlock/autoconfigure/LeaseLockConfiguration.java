package io.interlock.autoconfigure;

import io.interlock.admin.SharedNames;
import io.interlock.autoconfigure.NamedOperatorsConfiguration.NamedOperators;
import io.interlock.lease.LeaseInspector;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.HeldLocks;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** What locks in a database and in Redis have in common. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnSingleCandidate(LeaseLockProvider.class)
class LeaseLockConfiguration {

	@Bean
	@ConditionalOnBooleanProperty("interlock.admin.enabled")
	SmartInitializingSingleton interlockLeaseRequests(LeaseLockProvider provider, HeldLocks heldLocks) {
		return () -> provider.passRequestsOn(heldLocks::requestRevocation);
	}

	@Bean
	@ConditionalOnProperty("spring.application.name")
	SharedNames interlockSharedLeaseNames(LeaseLockProvider provider,
			@Qualifier("interlockQueueingLockProvider") ObjectProvider<QueueingLockProvider> queue, HeldLocks heldLocks,
			Environment environment, @Value("${spring.application.name}") String application) {
		return new SharedNames(new NamedOperators(queue::getObject, heldLocks, environment)
			.inspectors(() -> new LeaseInspector(provider)), application);
	}

}
