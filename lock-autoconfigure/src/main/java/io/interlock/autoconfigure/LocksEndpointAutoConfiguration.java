package io.interlock.autoconfigure;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;

import io.interlock.LockId;
import io.interlock.RevocationRequest;
import io.interlock.actuate.endpoint.LocksAdminEndpointWebExtension;
import io.interlock.actuate.endpoint.LocksEndpoint;
import io.interlock.actuate.endpoint.LocksEndpointWebExtension;
import io.interlock.admin.LockAdministrator;
import io.interlock.admin.LockInspector;
import io.interlock.admin.LockRevoker;
import io.interlock.admin.StaleTokenException;
import io.interlock.autoconfigure.zookeeper.ZooKeeperProperties;
import io.interlock.interceptor.JobRuns;
import io.interlock.leader.LeaderElection;
import io.interlock.lease.LeaseInspector;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseRevoker;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockOperations;
import io.interlock.zookeeper.internal.engine.ZooKeeperLockProvider;
import io.interlock.zookeeper.internal.node.LockPaths;
import io.interlock.zookeeper.internal.operator.ZooKeeperLockInspector;
import io.interlock.zookeeper.internal.operator.ZooKeeperLockRevoker;
import org.apache.curator.framework.CuratorFramework;
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
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Auto-configuration for {@link LocksEndpoint}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = InterlockAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnSingleCandidate(HeldLocks.class)
@ConditionalOnAvailableEndpoint(LocksEndpoint.class)
public final class LocksEndpointAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LocksEndpoint locksEndpoint(HeldLocks locks,
			@Qualifier("queueingLockProvider") ObjectProvider<QueueingLockProvider> queue,
			ObjectProvider<LeaderElection> election, ObjectProvider<JobRuns> jobs) {
		return new LocksEndpoint(locks, () -> queue.stream().flatMap((each) -> each.queues().stream()).toList(),
				() -> election.stream().findFirst().map(LeaderElection::leading).orElse(Map.of()),
				() -> queue.stream().findFirst().map(QueueingLockProvider::capabilities).orElse(null),
				() -> jobs.stream().flatMap((each) -> each.runs().stream()).toList());
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBooleanProperty("interlock.admin.enabled")
	LockAdministrator lockAdministrator(ObjectProvider<LockRevoker> revoker, HeldLocks locks,
			ObjectProvider<LockAdministrator.Listener> listeners) {
		OwnLocks own = new OwnLocks(locks);
		return new LockAdministrator(new RevokerOfProvider(revoker.getIfAvailable(() -> own), own),
				listeners.orderedStream().toList());
	}

	@Bean
	@ConditionalOnMissingBean(LocksEndpointWebExtension.class)
	@ConditionalOnBean({ LocksEndpoint.class, LockAdministrator.class })
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
	LocksAdminEndpointWebExtension locksAdminEndpointWebExtension(LocksEndpoint endpoint,
			ObjectProvider<LockInspector> inspector, LockAdministrator administrator,
			ObjectProvider<LockOperations> locks) {
		return new LocksAdminEndpointWebExtension(endpoint, inspector.getIfAvailable(), administrator,
				(request) -> locks.getObject().acquire(request));
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(LocksEndpoint.class)
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
	LocksEndpointWebExtension locksEndpointWebExtension(LocksEndpoint endpoint,
			ObjectProvider<LockInspector> inspector) {
		return new LocksEndpointWebExtension(endpoint, inspector.getIfAvailable());
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean({ LocksEndpoint.class, LockInspector.class })
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.JMX)
	LocksEndpoint.JmxExtension locksEndpointJmxExtension(LockInspector inspector) {
		return new LocksEndpoint.JmxExtension(inspector);
	}

	/** Nested, and so registered before the extensions that depend on it. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ZooKeeperLockProvider.class)
	@ConditionalOnBean(ZooKeeperLockProvider.class)
	@ConditionalOnSingleCandidate(CuratorFramework.class)
	static class ZooKeeperLockInspectorConfiguration {

		@Bean
		@ConditionalOnMissingBean(LockInspector.class)
		ZooKeeperLockInspector zooKeeperLockInspector(CuratorFramework client, ZooKeeperProperties properties,
				InterlockProperties common) {
			return new ZooKeeperLockInspector(client, LockPaths.rootOf(properties.rootPath(), common.namespace()),
					properties.operatorTimeout());
		}

		@Bean
		@ConditionalOnMissingBean(LockRevoker.class)
		@ConditionalOnBooleanProperty("interlock.admin.enabled")
		ZooKeeperLockRevoker zooKeeperLockRevoker(CuratorFramework client, ZooKeeperProperties properties,
				InterlockProperties common) {
			return new ZooKeeperLockRevoker(client, LockPaths.rootOf(properties.rootPath(), common.namespace()),
					properties.operatorTimeout());
		}

	}

	/** As above, for a database or Redis. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnSingleCandidate(LeaseLockProvider.class)
	static class LeaseInspectorConfiguration {

		@Bean
		@ConditionalOnMissingBean(LockInspector.class)
		LeaseInspector leaseInspector(LeaseLockProvider provider) {
			return new LeaseInspector(provider);
		}

		@Bean
		@ConditionalOnMissingBean(LockRevoker.class)
		@ConditionalOnBooleanProperty("interlock.admin.enabled")
		LeaseRevoker leaseRevoker(LeaseLockProvider provider, HeldLocks locks) {
			return new LeaseRevoker(provider, locks::requestRevocation);
		}

	}

	/** A named provider does not find a lock of another instance by its token. */
	private record RevokerOfProvider(LockRevoker byDefault, LockRevoker named) implements LockRevoker {

		@Override
		public Target release(LockId id, long token) {
			return of(id).release(id, token);
		}

		@Override
		public Target requestRevocation(LockId id, long token, @Nullable Integer handoff, RevocationRequest request) {
			return of(id).requestRevocation(id, token, handoff, request);
		}

		private LockRevoker of(LockId id) {
			return (id.provider() != null) ? this.named : this.byDefault;
		}

	}

	/** Takes away what this instance holds, where no store finds a lock by its token. */
	private record OwnLocks(HeldLocks locks) implements LockRevoker {

		@Override
		public Target release(LockId id, long token) {
			if (this.locks.held()
				.stream()
				.noneMatch((lock) -> lock.keptUntil() != null && lock.id().equals(id)
						&& Objects.equals(lock.token(), token))) {
				throw new StaleTokenException(id, token);
			}
			return requestRevocation(id, token, null, new RevocationRequest("An operator", Instant.now()));
		}

		@Override
		public Target requestRevocation(LockId id, long token, @Nullable Integer handoff, RevocationRequest request) {
			if (this.locks.requestRevocation((held) -> held.id().equals(id) && held.fencingToken() == token
					&& (handoff == null || handoff == held.handoff()), request) == 0) {
				throw new StaleTokenException(id, token);
			}
			return new Target(id, token, id.toString(), null);
		}

	}

}
