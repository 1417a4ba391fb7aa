package io.interlock.autoconfigure.curator;

import org.apache.curator.framework.CuratorFramework;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for the ZooKeeper client that locks
 * use: the application's own {@link CuratorFramework}, or one that is made from
 * {@code interlock.zookeeper} properties.
 *
 * @since 0.1.0
 */
@AutoConfiguration(afterName = "org.springframework.cloud.zookeeper.ZookeeperAutoConfiguration")
@ConditionalOnClass(CuratorFramework.class)
@ConditionalOnBooleanProperty(name = "interlock.enabled", matchIfMissing = true)
@Import({ ApplicationClientConfiguration.class, OwnClientConfiguration.class })
@ImportRuntimeHints(ZooKeeperClientRuntimeHints.class)
public final class CuratorAutoConfiguration {

}
