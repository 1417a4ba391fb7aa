package io.interlock.autoconfigure;

import java.util.Map;

import io.interlock.actuate.endpoint.LocksAdminEndpointWebExtension;
import io.interlock.actuate.endpoint.LocksEndpoint;
import io.interlock.actuate.endpoint.LocksEndpointJmxExtension;
import io.interlock.actuate.endpoint.LocksEndpointWebExtension;
import io.interlock.admin.LockAdministrator;
import io.interlock.admin.LockInspector;
import io.interlock.autoconfigure.zookeeper.ZooKeeperProperties;
import io.interlock.interceptor.JobRuns;
import io.interlock.leader.LeaderElection;
import io.interlock.provider.LockCapabilities;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.HeldLocks;
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
				() -> capabilities(queue.getIfAvailable()),
				() -> jobs.stream().flatMap((each) -> each.runs().stream()).toList());
	}

	private static @Nullable LockCapabilities capabilities(@Nullable QueueingLockProvider provider) {
		return (provider != null) ? provider.capabilities() : null;
	}

	@Bean
	@ConditionalOnMissingBean(LocksEndpointWebExtension.class)
	@ConditionalOnBean({ LocksEndpoint.class, LockInspector.class, LockAdministrator.class })
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
	LocksAdminEndpointWebExtension locksAdminEndpointWebExtension(LocksEndpoint endpoint, LockInspector inspector,
			LockAdministrator administrator) {
		return new LocksAdminEndpointWebExtension(endpoint, inspector, administrator);
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean({ LocksEndpoint.class, LockInspector.class })
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
	LocksEndpointWebExtension locksEndpointWebExtension(LocksEndpoint endpoint, LockInspector inspector) {
		return new LocksEndpointWebExtension(endpoint, inspector);
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean({ LocksEndpoint.class, LockInspector.class })
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.JMX)
	LocksEndpointJmxExtension locksEndpointJmxExtension(LockInspector inspector) {
		return new LocksEndpointJmxExtension(inspector);
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
		@ConditionalOnMissingBean
		@ConditionalOnBooleanProperty("interlock.admin.enabled")
		LockAdministrator lockAdministrator(CuratorFramework client, ZooKeeperProperties properties,
				InterlockProperties common, ObjectProvider<LockAdministrator.Listener> listeners) {
			return new LockAdministrator(new ZooKeeperLockRevoker(client,
					LockPaths.rootOf(properties.rootPath(), common.namespace()), properties.operatorTimeout()),
					listeners.orderedStream().toList());
		}

	}

}
