package io.interlock.autoconfigure;

import java.util.Map;
import java.util.function.Function;

import io.interlock.LockId;
import io.interlock.RevocationRequest;
import io.interlock.actuate.endpoint.LocksAdminEndpointWebExtension;
import io.interlock.actuate.endpoint.LocksEndpoint;
import io.interlock.actuate.endpoint.LocksEndpointWebExtension;
import io.interlock.admin.LockAdministrator;
import io.interlock.admin.LockInspector;
import io.interlock.admin.LockRevoker;
import io.interlock.autoconfigure.NamedOperatorsConfiguration.NamedOperators;
import io.interlock.autoconfigure.NamedOperatorsConfiguration.OwnLocks;
import io.interlock.interceptor.JobRuns;
import io.interlock.leader.LeaderElection;
import io.interlock.lease.LeaseInspector;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseRevoker;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockOperations;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Auto-configuration for {@link LocksEndpoint}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = InterlockAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnSingleCandidate(HeldLocks.class)
@ConditionalOnAvailableEndpoint(LocksEndpoint.class)
@Import(NamedOperatorsConfiguration.class)
@EnableConfigurationProperties(InterlockProperties.class)
public final class LocksEndpointAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LocksEndpoint interlockLocksEndpoint(HeldLocks locks,
			@Qualifier("interlockQueueingLockProvider") ObjectProvider<QueueingLockProvider> queue,
			ObjectProvider<LeaderElection> election, ObjectProvider<JobRuns> jobs) {
		return new LocksEndpoint(locks, () -> queue.stream().flatMap((each) -> each.queues().stream()).toList(),
				() -> election.stream().findFirst().map(LeaderElection::leading).orElse(Map.of()),
				() -> queue.stream().findFirst().map(QueueingLockProvider::capabilities).orElse(null),
				() -> jobs.stream().flatMap((each) -> each.runs().stream()).toList());
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBooleanProperty("interlock.admin.enabled")
	LockAdministrator interlockLockAdministrator(ObjectProvider<LockRevoker> revoker, HeldLocks locks,
			NamedOperators named, ObjectProvider<LockAdministrator.Listener> listeners, InterlockProperties common) {
		LockRevoker byDefault = revoker.getIfAvailable(() -> new OwnLocks(locks));
		return new LockAdministrator(new RevokerOfProvider(byDefault, named::revoker),
				listeners.orderedStream().toList(), common.verifyTimeout());
	}

	@Bean
	@ConditionalOnMissingBean(LocksEndpointWebExtension.class)
	@ConditionalOnBean({ LocksEndpoint.class, LockAdministrator.class })
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
	LocksAdminEndpointWebExtension interlockLocksAdminEndpointWebExtension(LocksEndpoint endpoint,
			ObjectProvider<LockInspector> inspector, NamedOperators named, LockAdministrator administrator,
			ObjectProvider<LockOperations> locks) {
		return new LocksAdminEndpointWebExtension(endpoint, named.inspectors(inspector::getIfAvailable), administrator,
				(request) -> locks.getObject().acquire(request));
	}

	@Bean
	@ConditionalOnBean({ LocksEndpoint.class, LockAdministrator.class })
	@ConditionalOnAvailableEndpoint(endpoint = LocksEndpoint.class, exposure = EndpointExposure.WEB)
	static UnknownParametersInvokerAdvisor interlockLocksEndpointUnknownParameters() {
		return new UnknownParametersInvokerAdvisor();
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(LocksEndpoint.class)
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
	LocksEndpointWebExtension interlockLocksEndpointWebExtension(LocksEndpoint endpoint,
			ObjectProvider<LockInspector> inspector, NamedOperators named) {
		return new LocksEndpointWebExtension(endpoint, named.inspectors(inspector::getIfAvailable));
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean({ LocksEndpoint.class, LockInspector.class })
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.JMX)
	LocksEndpoint.JmxExtension interlockLocksEndpointJmxExtension(ObjectProvider<LockInspector> inspector,
			NamedOperators named) {
		return new LocksEndpoint.JmxExtension(named.inspectors(inspector::getIfAvailable));
	}

	/** Nested, and so registered before the extensions that depend on it. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnSingleCandidate(LeaseLockProvider.class)
	static class LeaseInspectorConfiguration {

		@Bean
		@ConditionalOnMissingBean(LockInspector.class)
		LeaseInspector interlockLeaseInspector(LeaseLockProvider provider) {
			return new LeaseInspector(provider);
		}

		@Bean
		@ConditionalOnMissingBean(LockRevoker.class)
		@ConditionalOnBooleanProperty("interlock.admin.enabled")
		LeaseRevoker interlockLeaseRevoker(LeaseLockProvider provider, HeldLocks locks) {
			return new LeaseRevoker(provider, locks::requestRevocation);
		}

	}

	private record RevokerOfProvider(LockRevoker byDefault,
			Function<String, LockRevoker> named) implements LockRevoker {

		@Override
		public Target release(LockId id, long token) {
			return of(id).release(id, token);
		}

		@Override
		public Target requestRevocation(LockId id, long token, @Nullable Integer handoff, RevocationRequest request) {
			return of(id).requestRevocation(id, token, handoff, request);
		}

		private LockRevoker of(LockId id) {
			return (id.provider() != null) ? this.named.apply(id.provider()) : this.byDefault;
		}

	}

}
