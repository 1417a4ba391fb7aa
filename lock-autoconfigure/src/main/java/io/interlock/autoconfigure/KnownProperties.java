package io.interlock.autoconfigure;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.interlock.autoconfigure.store.LockStoreFactory;
import io.interlock.autoconfigure.store.LockStores;
import io.interlock.internal.NearestName;

import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * The properties below {@code interlock} that beans are bound to, and those of named
 * providers. A star stands for a key of a map. What Spring Boot binds is read, and no
 * metadata, which native images and shaded JARs lack.
 */
final class KnownProperties {

	static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("interlock");

	private static final String LOCKS = "locks";

	private static final String ANY = "*";

	private static final int SHOWN = 8;

	private final Set<ConfigurationPropertyName> prefixes = new TreeSet<>();

	private final Set<String> names = new LinkedHashSet<>();

	static KnownProperties of(ListableBeanFactory beans) {
		KnownProperties known = (beans instanceof HierarchicalBeanFactory child
				&& child.getParentBeanFactory() instanceof ListableBeanFactory parent) ? of(parent)
						: new KnownProperties();
		for (String bean : beans.getBeanDefinitionNames()) {
			ConfigurationProperties annotation = beans.findAnnotationOnBean(bean, ConfigurationProperties.class, false);
			Class<?> type = beans.getType(bean, false);
			if (annotation != null && type != null) {
				known.add(annotation.prefix(), type);
			}
		}
		return known;
	}

	private void add(String prefix, Class<?> type) {
		ConfigurationPropertyName name = ConfigurationPropertyName.ofIfValid(prefix);
		if (name != null && ROOT.isAncestorOf(name)) {
			this.prefixes.add(name);
		}
		if (name != null && (ROOT.equals(name) || ROOT.isAncestorOf(name))) {
			addNames(prefix, ResolvableType.forClass(type), true);
		}
	}

	/** Add the properties of stores: their groups, and named providers. */
	KnownProperties withStores(LockStores stores) {
		String prefix = LockStores.NAMED + "." + ANY;
		this.names.add(prefix + ".provider");
		this.names.add(prefix + ".bean");
		for (LockStoreFactory<?> store : stores.present()) {
			addNames(prefix, ResolvableType.forClass(store.properties()), true);
			String group = StoreProperties.prefixOf(store);
			if (ROOT.isAncestorOf(ConfigurationPropertyName.of(group))) {
				addNames(group, ResolvableType.forClass(store.properties()), true);
			}
		}
		return this;
	}

	private void addNames(String prefix, ResolvableType type, boolean group) {
		Class<?> raw = type.toClass();
		if (Map.class.isAssignableFrom(raw)) {
			addNames(prefix + "." + ANY, type.asMap().getGeneric(1), true);
		}
		else if (raw.isRecord() && (group || raw.isMemberClass())) {
			Arrays.stream(BeanUtils.getResolvableConstructor(raw).getParameters()).forEach((parameter) -> {
				Name name = AnnotatedElementUtils.findMergedAnnotation(parameter, Name.class);
				addNames(
						prefix + "."
								+ ((name != null) ? name.value()
										: DataObjectPropertyName.toDashedForm(parameter.getName())),
						ResolvableType.forType(parameter.getParameterizedType()), false);
			});
		}
		else {
			this.names.add(prefix);
		}
	}

	/** Return whether a bean of any module or of the application is bound to it. */
	boolean isBound(ConfigurationPropertyName name) {
		return this.prefixes.stream().anyMatch((prefix) -> prefix.equals(name) || prefix.isAncestorOf(name));
	}

	/** Return what is set below a prefix, or in its place, and has no known name. */
	Set<ConfigurationProperty> unknownBelow(ConfigurationPropertyName prefix, Environment environment) {
		Set<ConfigurationProperty> unknown = new LinkedHashSet<>();
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
			if (source instanceof IterableConfigurationPropertySource names) {
				names.stream()
					.filter((name) -> prefix.equals(name) || prefix.isAncestorOf(name))
					.filter((name) -> !isKnown(name))
					.map(source::getConfigurationProperty)
					.forEach(unknown::add);
			}
		}
		return unknown;
	}

	private boolean isKnown(ConfigurationPropertyName name) {
		return this.names.stream()
			.map((pattern) -> ConfigurationPropertyName.of(filled(pattern, name)))
			.anyMatch((known) -> known.equals(name) || (known.isParentOf(name) && name.isLastElementIndexed()));
	}

	/** YAML has an empty value for a group whose lines are all comments. */
	static boolean hasText(ConfigurationProperty property) {
		return StringUtils.hasText(String.valueOf(property.getValue()));
	}

	/** Return whether properties stand below a name, which has no value of its own. */
	boolean isGroup(ConfigurationPropertyName name) {
		return !below(name).isEmpty();
	}

	/** Return what to write instead of a value of a group. */
	String shapeOf(ConfigurationPropertyName group) {
		List<String> below = below(group);
		return "Remove the value of %s, and set properties below it: %s%s.".formatted(group,
				below.stream().limit(SHOWN).collect(Collectors.joining(", ")), (below.size() > SHOWN) ? ", ..." : "");
	}

	private List<String> below(ConfigurationPropertyName group) {
		return this.names.stream()
			.map((pattern) -> filled(pattern, group).replace("." + ANY, ".<name>"))
			.filter((name) -> name.startsWith(group + "."))
			.distinct()
			.toList();
	}

	/** Return a question for the property that a name most probably means. */
	String didYouMean(ConfigurationPropertyName name) {
		String root = ROOT + ".";
		List<String> known = this.names.stream()
			.map((pattern) -> filled(pattern, name).substring(root.length()).replace("." + ANY, ".<name>"))
			.toList();
		return NearestName.didYouMean(name.toString().substring(root.length()), known, root + "%s");
	}

	/** Fill in the name of a lock, whose dots are what a longer name has too many. */
	private static String filled(String pattern, ConfigurationPropertyName name) {
		StringBuilder filled = new StringBuilder();
		String[] elements = pattern.split("\\.");
		int dots = Math.max(0, name.getNumberOfElements() - elements.length);
		for (int i = 0; i < elements.length; i++) {
			boolean any = elements[i].equals(ANY) && i < name.getNumberOfElements();
			boolean ofLock = any && elements[i - 1].equals(LOCKS);
			String element = any ? IntStream.rangeClosed(i, ofLock ? i + dots : i)
				.mapToObj((index) -> name.getElement(index, Form.ORIGINAL))
				.collect(Collectors.joining(".")) : elements[i];
			boolean simple = !any || element.matches("[a-z0-9-]+");
			filled.append(simple ? "." + element : "[" + element + "]");
		}
		return filled.substring(1);
	}

}
