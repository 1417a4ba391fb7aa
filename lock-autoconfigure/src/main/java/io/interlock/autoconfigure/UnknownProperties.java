package io.interlock.autoconfigure;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.interlock.autoconfigure.store.LockStores;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Role;

/**
 * Fails the start for a property beside the groups below {@code interlock}. Each group
 * refuses what it does not know where it is bound. Environment variables and system
 * properties do not count, as there: a platform sets some for a service of that name.
 */
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
final class UnknownProperties {

	/** Known whether something is bound to them or not. */
	private static final Set<String> GROUPS = Set.of("locks", "providers", "queue", "async", "annotations", "leader",
			"logging", "observations", "transactions", "admin", "web");

	private static final Log logger = LogFactory.getLog(UnknownProperties.class);

	private final Set<String> simple = new LinkedHashSet<>();

	private final Set<String> groups;

	UnknownProperties(ListableBeanFactory beanFactory, ApplicationContext context) {
		Stream.of(BeanUtils.getResolvableConstructor(InterlockProperties.class).getParameters())
			.map((parameter) -> KnownProperties.ROOT.append(DataObjectPropertyName.toDashedForm(parameter.getName())))
			.map((name) -> name.getElement(1, Form.UNIFORM))
			.forEach(this.simple::add);
		LockStores stores = LockStores.of(context.getClassLoader());
		this.groups = groups(stores);
		KnownProperties ofStores = new KnownProperties().withStores(stores);
		Set<ConfigurationProperty> unknown = new LinkedHashSet<>();
		Set<ConfigurationProperty> groups = new LinkedHashSet<>();
		SortedSet<ConfigurationPropertyName> present = new TreeSet<>();
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(context.getEnvironment())) {
			if (source instanceof IterableConfigurationPropertySource names
					&& new UnboundElementsSourceFilter().apply(source)) {
				names.stream().filter(KnownProperties.ROOT::isAncestorOf).filter(present::add).forEach((name) -> {
					if (isGroup(name, ofStores)) {
						groups.add(source.getConfigurationProperty(name));
					}
					else if (!isKnown(name)) {
						unknown.add(source.getConfigurationProperty(name));
					}
				});
			}
		}
		if (!unknown.isEmpty()) {
			KnownProperties known = KnownProperties.of(beanFactory);
			unknown.removeIf((property) -> known.isBound(property.getName()));
		}
		groups.stream().filter(KnownProperties::hasText).forEach(unknown::add);
		if (!unknown.isEmpty()) {
			throw new UnboundConfigurationPropertiesException(unknown);
		}
		stores.present()
			.stream()
			.map((store) -> new UnusedProperties(store.properties()))
			.filter((group) -> group.isUnused(beanFactory))
			.forEach((group) -> group.check(context.getEnvironment()));
		stores.absent().forEach((group, starter) -> warn(present, group, starter));
	}

	/** Those of stores that are absent have no effect. */
	static Set<String> groups(LockStores stores) {
		Set<String> groups = new HashSet<>(GROUPS);
		groups.addAll(stores.absent().keySet());
		stores.present()
			.stream()
			.map((store) -> ConfigurationPropertyName.of(StoreProperties.prefixOf(store)))
			.filter(KnownProperties.ROOT::isAncestorOf)
			.forEach((prefix) -> groups.add(prefix.getElement(1, Form.UNIFORM)));
		return groups;
	}

	/** Spring Boot passes over the value of a group that can do without properties. */
	private boolean isGroup(ConfigurationPropertyName name, KnownProperties ofStores) {
		return (name.getNumberOfElements() == 2) ? this.groups.contains(name.getElement(1, Form.UNIFORM))
				: ofStores.isGroup(name);
	}

	private boolean isKnown(ConfigurationPropertyName name) {
		String first = name.getElement(1, Form.UNIFORM);
		// Nothing may be bound to its group.
		boolean removed = RemovedProperties.instead(name).isPresent();
		return (this.groups.contains(first) && !removed)
				|| (name.getNumberOfElements() == 2 && this.simple.contains(first));
	}

	private static void warn(SortedSet<ConfigurationPropertyName> present, String group, String starter) {
		SortedSet<ConfigurationPropertyName> idle = new TreeSet<>(present);
		idle.removeIf((name) -> !KnownProperties.ROOT.append(group).isAncestorOf(name));
		if (!idle.isEmpty()) {
			logger.warn("%s have no effect: the class path lacks %s".formatted(idle, starter));
		}
	}

}
