package io.interlock.autoconfigure;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

import io.interlock.LockListener;
import io.interlock.LockProvider;
import io.interlock.autoconfigure.curator.CuratorAutoConfiguration;
import io.interlock.autoconfigure.curator.ZooKeeperConnectionDetails;
import io.interlock.autoconfigure.curator.ZooKeeperProperties;
import io.interlock.curator.CuratorLockProvider;
import io.interlock.curator.CuratorLockSettings;
import io.interlock.curator.Peers;
import io.interlock.curator.RevocationWatch;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockOperations;
import io.interlock.template.LockSettings;
import io.interlock.template.LockTemplate;
import org.apache.curator.framework.CuratorFramework;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for distributed locks.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = CuratorAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "interlock.enabled", matchIfMissing = true)
@EnableConfigurationProperties({ InterlockProperties.class, ZooKeeperProperties.class })
@Import({ LockEventsConfiguration.class, LockLoggingConfiguration.class, LockAclConfiguration.class })
@ImportRuntimeHints(WaitTimeRuntimeHints.class)
public final class InterlockAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	HeldLocks heldLocks() {
		return new HeldLocks();
	}

	/**
	 * The queue in front of the provider. No candidate for {@link LockProvider}: that is
	 * what it stands in front of.
	 */
	@Bean(defaultCandidate = false)
	@ConditionalOnBean(LockProvider.class)
	QueueingLockProvider queueingLockProvider(LockProvider provider, InterlockProperties properties) {
		return new QueueingLockProvider(provider, queueSettings(properties));
	}

	@Bean
	@ConditionalOnMissingBean(LockOperations.class)
	@ConditionalOnBean(LockProvider.class)
	LockTemplate lockTemplate(@Qualifier("queueingLockProvider") LockProvider provider, InterlockProperties properties,
			HeldLocks heldLocks, ObjectProvider<LockListener> listeners) {
		return new LockTemplate(provider, lockSettings(properties), heldLocks, listeners.orderedStream().toList());
	}

	@Bean
	@ConditionalOnBean(LockProvider.class)
	LockLifecycle lockLifecycle(@Qualifier("queueingLockProvider") LockProvider provider, HeldLocks heldLocks,
			InterlockProperties properties, ObjectProvider<LifecycleProperties> lifecycle) {
		Duration timeout = properties.shutdownTimeout();
		return new LockLifecycle(provider, heldLocks, (timeout != null) ? timeout
				: lifecycle.getIfAvailable(LifecycleProperties::new).getTimeoutPerShutdownPhase());
	}

	private static LockSettings lockSettings(InterlockProperties properties) {
		Map<String, Duration> waitTimes = new HashMap<>();
		properties.locks().forEach((name, lock) -> {
			if (lock.waitTime() != null) {
				waitTimes.put(name, lock.waitTime().duration());
			}
		});
		return new LockSettings(properties.defaultWaitTime().duration(), waitTimes, properties.tryTimeout());
	}

	private static QueueSettings queueSettings(InterlockProperties properties) {
		InterlockProperties.Queue queue = properties.queue();
		Map<String, Boolean> enabledByName = new HashMap<>();
		properties.locks().forEach((name, lock) -> {
			if (lock.queueEnabled() != null) {
				enabledByName.put(name, lock.queueEnabled());
			}
		});
		return new QueueSettings(queue.enabled(), enabledByName, queue.maxTenure(),
				Objects.requireNonNullElse(queue.maxHandoffs(), Integer.MAX_VALUE),
				Objects.requireNonNullElse(queue.maxWaiting(), Integer.MAX_VALUE));
	}

	/**
	 * Locks in ZooKeeper. Several clients without a primary one are an error on start-up
	 * and no reason to back off: annotated methods would silently run without locks.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBean(CuratorFramework.class)
	@ConditionalOnMissingBean(LockProvider.class)
	static class CuratorLockProviderConfiguration {

		@Bean
		StartupCheck lockStartupCheck(CuratorFramework client, InterlockProperties properties,
				ZooKeeperProperties zooKeeperProperties, ObjectProvider<ZooKeeperConnectionDetails> connectionDetails) {
			ZooKeeperConnectionDetails details = connectionDetails.getIfAvailable();
			return new StartupCheck(client, properties.rootPath(), (details != null) ? details.username() : null,
					zooKeeperProperties.acl(), zooKeeperProperties.startupTimeout());
		}

		@Bean
		CuratorLockProvider curatorLockProvider(CuratorFramework client, InterlockProperties properties,
				ZooKeeperProperties zooKeeperProperties, Environment environment) {
			return new CuratorLockProvider(client, lockSettings(properties, zooKeeperProperties, environment));
		}

		@Bean(initMethod = "start")
		@ConditionalOnBooleanProperty("interlock.admin.enabled")
		RevocationWatch revocationWatch(CuratorFramework client, InterlockProperties properties, HeldLocks heldLocks) {
			return new RevocationWatch(client, properties.rootPath(), heldLocks::requestRevocation);
		}

		private static CuratorLockSettings lockSettings(InterlockProperties properties,
				ZooKeeperProperties zooKeeperProperties, Environment environment) {
			String instanceId = properties.instanceId();
			Map<String, Peers> peers = new HashMap<>();
			properties.locks().forEach((name, lock) -> peers.put(name, lock.peers()));
			return new CuratorLockSettings(properties.rootPath(),
					(instanceId != null) ? instanceId : InstanceId.of(environment), zooKeeperProperties.maxContenders(),
					properties.releaseTimeout(), properties.verifyTimeout(), zooKeeperProperties.recipe(), peers,
					properties.whenUnavailable(), InstanceId.details(environment));
		}

	}

}
