package io.interlock.autoconfigure;

import io.interlock.actuate.endpoint.LocksAdminEndpointWebExtension;
import io.interlock.actuate.endpoint.LocksEndpoint;
import io.interlock.actuate.endpoint.LocksEndpointJmxExtension;
import io.interlock.actuate.endpoint.LocksEndpointWebExtension;
import io.interlock.admin.LockAdministrationListener;
import io.interlock.admin.LockAdministrator;
import io.interlock.admin.LockInspector;
import io.interlock.curator.CuratorLockInspector;
import io.interlock.curator.CuratorLockNodes;
import io.interlock.curator.CuratorLockProvider;
import io.interlock.template.HeldLocks;
import org.apache.curator.framework.CuratorFramework;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for {@link LocksEndpoint}.
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
	LocksEndpoint locksEndpoint(HeldLocks locks) {
		return new LocksEndpoint(locks);
	}

	@Bean
	@ConditionalOnMissingBean(LocksEndpointWebExtension.class)
	@ConditionalOnBean({ LocksEndpoint.class, LockInspector.class, LockAdministrator.class })
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
	LocksAdminEndpointWebExtension locksAdminEndpointWebExtension(LockInspector inspector,
			LockAdministrator administrator) {
		return new LocksAdminEndpointWebExtension(inspector, administrator);
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean({ LocksEndpoint.class, LockInspector.class })
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
	LocksEndpointWebExtension locksEndpointWebExtension(LockInspector inspector) {
		return new LocksEndpointWebExtension(inspector);
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean({ LocksEndpoint.class, LockInspector.class })
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.JMX)
	LocksEndpointJmxExtension locksEndpointJmxExtension(LockInspector inspector) {
		return new LocksEndpointJmxExtension(inspector);
	}

	/**
	 * Reads and frees the locks in ZooKeeper. Nested, and so registered before the
	 * extensions that depend on it.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBean(CuratorLockProvider.class)
	@ConditionalOnSingleCandidate(CuratorFramework.class)
	static class CuratorLockInspectorConfiguration {

		@Bean
		@ConditionalOnMissingBean(LockInspector.class)
		CuratorLockInspector curatorLockInspector(CuratorFramework client, InterlockProperties properties) {
			return new CuratorLockInspector(client, properties.rootPath());
		}

		@Bean
		@ConditionalOnMissingBean
		@ConditionalOnBooleanProperty("interlock.admin.enabled")
		LockAdministrator lockAdministrator(CuratorFramework client, InterlockProperties properties,
				ObjectProvider<LockAdministrationListener> listeners) {
			return new LockAdministrator(new CuratorLockNodes(client, properties.rootPath()),
					listeners.orderedStream().toList());
		}

	}

}
