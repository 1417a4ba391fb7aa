package io.interlock.autoconfigure.curator;

import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.curator.framework.CuratorFramework;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Configuration;

/**
 * Says that locks use a client of the application, and fails where that would leave them
 * without the protection that was asked for. Must be imported before
 * {@link OwnClientConfiguration}.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBean(CuratorFramework.class)
@EnableConfigurationProperties(ZooKeeperProperties.class)
class ApplicationClientConfiguration {

	private static final Log logger = LogFactory.getLog(ApplicationClientConfiguration.class);

	ApplicationClientConfiguration(ListableBeanFactory beanFactory, ZooKeeperProperties properties) {
		List<String> clients = clients(beanFactory);
		if (properties.acl() != LockAcl.OPEN) {
			throw new InvalidConfigurationPropertyValueException("interlock.zookeeper.acl", properties.acl(),
					"It cannot apply to the application's own ZooKeeper client %s, whose ACLs are made by that client's ACLProvider. Have that one protect the root path and what is below it, and remove the property."
						.formatted(clients));
		}
		logger.info("Locks use the application's ZooKeeper client " + clients
				+ "; the connection properties of interlock.zookeeper do not apply to it");
	}

	static List<String> clients(ListableBeanFactory beanFactory) {
		return List.of(beanFactory.getBeanNamesForType(CuratorFramework.class, true, false));
	}

}
