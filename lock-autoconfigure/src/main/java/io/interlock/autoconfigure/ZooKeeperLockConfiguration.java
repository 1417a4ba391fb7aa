package io.interlock.autoconfigure;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import io.interlock.admin.SharedNames;
import io.interlock.autoconfigure.NamedOperatorsConfiguration.NamedOperators;
import io.interlock.autoconfigure.store.ConditionalOnStore;
import io.interlock.autoconfigure.zookeeper.ZooKeeperConnectionDetails;
import io.interlock.autoconfigure.zookeeper.ZooKeeperProperties;
import io.interlock.provider.LockProvider;
import io.interlock.queue.QueueingLockProvider;
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
import org.apache.curator.framework.CuratorFramework;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/** Locks in ZooKeeper. Several clients without a primary one fail the start. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(name = "interlock.enabled", matchIfMissing = true)
@ConditionalOnStore("zookeeper")
@ConditionalOnClass({ CuratorFramework.class, ZooKeeperLockProvider.class })
@ConditionalOnBean(CuratorFramework.class)
@ConditionalOnMissingBean(LockProvider.class)
@EnableConfigurationProperties(ZooKeeperProperties.class)
class ZooKeeperLockConfiguration {

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

	@Bean
	@ConditionalOnProperty("spring.application.name")
	SharedNames interlockSharedLockNames(CuratorFramework client, ZooKeeperProperties properties,
			InterlockProperties common,
			@Qualifier("interlockQueueingLockProvider") ObjectProvider<QueueingLockProvider> queue, HeldLocks heldLocks,
			Environment environment, @Value("${spring.application.name}") String application) {
		return new SharedNames(
				new NamedOperators(queue::getObject, heldLocks, environment)
					.inspectors(() -> new ZooKeeperLockInspector(client,
							LockPaths.rootOf(properties.rootPath(), common.namespace()), properties.operatorTimeout())),
				application);
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

}
