package io.interlock.autoconfigure.curator;

import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.curator.framework.CuratorFramework;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Configuration;

/**
 * Says that locks use a client of the application. Must be imported before
 * {@link OwnClientConfiguration}.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBean(CuratorFramework.class)
class ApplicationClientConfiguration {

	private static final Log logger = LogFactory.getLog(ApplicationClientConfiguration.class);

	ApplicationClientConfiguration(ListableBeanFactory beanFactory) {
		logger.info("Locks use the application's ZooKeeper client " + clients(beanFactory)
				+ "; the connection properties of interlock.zookeeper do not apply to it");
	}

	static List<String> clients(ListableBeanFactory beanFactory) {
		return List.of(beanFactory.getBeanNamesForType(CuratorFramework.class, true, false));
	}

}
