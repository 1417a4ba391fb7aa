package io.interlock.autoconfigure;

import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.interlock.autoconfigure.store.LockStores;
import io.interlock.autoconfigure.store.StoreChoice;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Environment variables do not count: a platform sets some for such a service. */
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
final class ZooKeeperOnlyProperties {

	private static final Log logger = LogFactory.getLog(ZooKeeperOnlyProperties.class);

	private static final ConfigurationPropertyName GROUP = ConfigurationPropertyName.of("interlock.zookeeper");

	ZooKeeperOnlyProperties(InterlockProperties properties, ApplicationContext context) {
		Environment environment = context.getEnvironment();
		String provider = StoreChoice.of(environment, context.getClassLoader()).provider();
		SortedSet<ConfigurationPropertyName> configured = configured(ConfigurationPropertySources.get(environment));
		if (properties.enabled() && provider != null && !provider.equals("zookeeper") && !configured.isEmpty()
				&& LockStores.of(context.getClassLoader()).find("zookeeper").isPresent()) {
			logger.warn(("These properties apply only to locks in ZooKeeper and have no effect with "
					+ "interlock.provider=%s: %s")
				.formatted(provider, configured.stream().map(Objects::toString).collect(Collectors.joining(", "))));
		}
	}

	private static SortedSet<ConfigurationPropertyName> configured(Iterable<ConfigurationPropertySource> sources) {
		SortedSet<ConfigurationPropertyName> configured = new TreeSet<>();
		for (ConfigurationPropertySource source : sources) {
			if (source instanceof IterableConfigurationPropertySource names
					&& !(source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource)) {
				names.stream().filter(GROUP::isAncestorOf).forEach(configured::add);
			}
		}
		return configured;
	}

}
