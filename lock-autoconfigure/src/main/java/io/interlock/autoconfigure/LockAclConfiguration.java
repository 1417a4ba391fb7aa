package io.interlock.autoconfigure;

import io.interlock.autoconfigure.curator.CuratorFrameworkCustomizer;
import io.interlock.autoconfigure.curator.LockAcl;
import io.interlock.autoconfigure.curator.ZooKeeperProperties;
import org.apache.curator.framework.CuratorFramework;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Gives our own client the ACL of lock nodes, before customizers of the application see
 * it.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(CuratorFramework.class)
class LockAclConfiguration {

	@Bean
	@Order(Ordered.HIGHEST_PRECEDENCE)
	CuratorFrameworkCustomizer lockAclCustomizer(InterlockProperties properties,
			ZooKeeperProperties zooKeeperProperties) {
		LockAcl acl = zooKeeperProperties.acl();
		return (builder) -> {
			if (acl != LockAcl.OPEN) {
				builder.aclProvider(new LockAclProvider(properties.rootPath(), acl, builder::getNamespace));
			}
		};
	}

}
