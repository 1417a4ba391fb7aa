package io.interlock.autoconfigure.zookeeper;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import io.interlock.actuate.endpoint.LocksEndpoint;
import io.interlock.admin.LockInspector;
import io.interlock.admin.LockRevoker;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.InterlockProperties;
import io.interlock.autoconfigure.store.ConditionalOnStore;
import io.interlock.provider.LockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.zookeeper.Peers;
import io.interlock.zookeeper.internal.client.OwnClient;
import io.interlock.zookeeper.internal.client.StartupCheck;
import io.interlock.zookeeper.internal.engine.ZooKeeperLockProvider;
import io.interlock.zookeeper.internal.engine.ZooKeeperLockSettings;
import io.interlock.zookeeper.internal.node.LockPaths;
import io.interlock.zookeeper.internal.node.OwnerRecord;
import io.interlock.zookeeper.internal.operator.RevocationBoard;
import io.interlock.zookeeper.internal.operator.ZooKeeperLockInspector;
import io.interlock.zookeeper.internal.operator.ZooKeeperLockRevoker;
import org.apache.curator.framework.CuratorFramework;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Auto-configuration for locks in ZooKeeper. Several clients without a primary one fail
 * the start.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = CuratorAutoConfiguration.class, before = InterlockAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "interlock.enabled", matchIfMissing = true)
@ConditionalOnStore("zookeeper")
@ConditionalOnClass({ CuratorFramework.class, ZooKeeperLockProvider.class })
@ConditionalOnBean(CuratorFramework.class)
@ConditionalOnMissingBean(LockProvider.class)
@EnableConfigurationProperties({ InterlockProperties.class, ZooKeeperProperties.class })
public final class ZooKeeperLockAutoConfiguration {

	@Bean
	StartupCheck interlockLockStartupCheck(CuratorFramework client, ZooKeeperProperties properties,
			InterlockProperties common, ObjectProvider<ZooKeeperConnectionDetails> connectionDetails,
			ObjectProvider<OwnClient> ownClient) {
		ZooKeeperConnectionDetails details = connectionDetails.getIfAvailable();
		return new StartupCheck(client, ownClient.getIfAvailable(), null,
				LockPaths.rootOf(properties.rootPath(), common.namespace()),
				(details != null) ? details.username() : null, properties.acl(), common.startupTimeout());
	}

	@Bean
	ZooKeeperLockProvider interlockZooKeeperLockProvider(CuratorFramework client, InterlockProperties properties,
			ZooKeeperProperties zooKeeperProperties, Environment environment, ObjectProvider<OwnClient> ownClient) {
		OwnClient own = ownClient.getIfAvailable();
		return new ZooKeeperLockProvider(client, lockSettings(properties, zooKeeperProperties, environment),
				(own != null) ? own.aclProvider() : null, (own != null) ? own.startedAt() : null);
	}

	@Bean(initMethod = "start")
	@ConditionalOnBooleanProperty("interlock.admin.enabled")
	RevocationBoard interlockRevocationBoard(CuratorFramework client, ZooKeeperProperties properties,
			InterlockProperties common, HeldLocks heldLocks) {
		return new RevocationBoard(client, LockPaths.rootOf(properties.rootPath(), common.namespace()), null,
				heldLocks::holds, heldLocks::requestRevocation);
	}

	static ZooKeeperLockSettings lockSettings(InterlockProperties properties, ZooKeeperProperties zooKeeperProperties,
			Environment environment) {
		String name = environment.getProperty("spring.application.name");
		OwnerRecord.Details details = new OwnerRecord.Details(StringUtils.hasText(name) ? name : null,
				InterlockProperties.host(), ProcessHandle.current().pid());
		Map<String, Peers> peers = new HashMap<>();
		Set<String> keptParents = new HashSet<>();
		zooKeeperProperties.locks().forEach((lock, overrides) -> {
			peers.put(lock, overrides.peers());
			if (overrides.keepParent()) {
				keptParents.add(lock);
			}
		});
		return new ZooKeeperLockSettings(LockPaths.rootOf(zooKeeperProperties.rootPath(), properties.namespace()),
				properties.instanceId(environment), properties.verifyTimeout(), zooKeeperProperties.recipe(), peers,
				keptParents, properties.whenUnavailable() == InterlockProperties.WhenUnavailable.FAIL_FAST, details,
				zooKeeperProperties.lockData());
	}

	/** What the endpoint shows and frees. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
	@ConditionalOnAvailableEndpoint(LocksEndpoint.class)
	static class OperatorsConfiguration {

		@Bean
		@ConditionalOnMissingBean(LockInspector.class)
		ZooKeeperLockInspector interlockZooKeeperLockInspector(CuratorFramework client, ZooKeeperProperties properties,
				InterlockProperties common) {
			return new ZooKeeperLockInspector(client, LockPaths.rootOf(properties.rootPath(), common.namespace()),
					properties.operatorTimeout());
		}

		@Bean
		@ConditionalOnMissingBean(LockRevoker.class)
		@ConditionalOnBooleanProperty("interlock.admin.enabled")
		ZooKeeperLockRevoker interlockZooKeeperLockRevoker(CuratorFramework client, ZooKeeperProperties properties,
				InterlockProperties common) {
			return new ZooKeeperLockRevoker(client, LockPaths.rootOf(properties.rootPath(), common.namespace()),
					properties.operatorTimeout());
		}

	}

}
