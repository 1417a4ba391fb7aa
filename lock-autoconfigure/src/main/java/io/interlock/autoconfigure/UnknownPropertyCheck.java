package io.interlock.autoconfigure;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.interlock.interceptor.AnnotationLockDefinitionSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Warns of properties below {@code interlock} that have no effect. The properties that
 * exist are those that the binder asks for while it binds the classes of the application,
 * so nothing is bound twice. Environment variables are not judged: their names do not
 * tell where an element of a property begins, and platforms set variables of any name. A
 * system property is told only if it resembles one that exists.
 */
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class UnknownPropertyCheck implements ConfigurationPropertiesBindHandlerAdvisor, SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(UnknownPropertyCheck.class);

	private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("interlock");

	/** Where modules and features have properties that this application may not bind. */
	private static final Set<ConfigurationPropertyName> OPTIONAL = Stream.of("zookeeper", "jdbc", "redis", "web")
		.map(ROOT::append)
		.collect(Collectors.toUnmodifiableSet());

	/** Below these, the next element is the name of a lock. */
	private static final List<ConfigurationPropertyName> BY_LOCK = List.of(ROOT.append("locks"),
			ROOT.append("zookeeper.locks"));

	private static final Pattern WITHOUT_BRACKETS = Pattern.compile("[\\w-]+");

	private static final Pattern DIGITS = Pattern.compile("\\d");

	private static final Pattern NOT_UNIFORM = Pattern.compile("[^\\p{L}\\d]");

	private static final int SHOWN_NAMES = 30;

	private final ObjectProvider<AnnotationLockDefinitionSource> methods;

	private final Set<ConfigurationPropertyName> existing = ConcurrentHashMap.newKeySet();

	private volatile Iterable<ConfigurationPropertySource> sources = List.of();

	UnknownPropertyCheck(ObjectProvider<AnnotationLockDefinitionSource> methods) {
		this.methods = methods;
	}

	@Override
	public BindHandler apply(BindHandler bindHandler) {
		return new Observer(bindHandler);
	}

	@Override
	public void afterSingletonsInstantiated() {
		SortedMap<ConfigurationPropertyName, Place> configured = configured();
		configured.forEach((name, place) -> {
			if (!this.existing.contains(name) && !isOfAbsentModule(name)) {
				warnOfProperty(name, place);
			}
		});
		this.methods.ifUnique((source) -> BY_LOCK
			.forEach((parent) -> warnOfLocks(parent, locks(parent, configured), new TreeSet<>(source.lockNames()))));
	}

	/** Return the names that are configured, each with where that is. */
	private SortedMap<ConfigurationPropertyName, Place> configured() {
		SortedMap<ConfigurationPropertyName, Place> configured = new TreeMap<>();
		for (ConfigurationPropertySource source : this.sources) {
			if (source instanceof IterableConfigurationPropertySource names
					&& !(source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource)) {
				names.stream()
					.filter(ROOT::isAncestorOf)
					.forEach((name) -> configured.putIfAbsent(name, Place.of(source, name)));
			}
		}
		return configured;
	}

	private boolean isOfAbsentModule(ConfigurationPropertyName name) {
		ConfigurationPropertyName group = name.chop(2);
		return OPTIONAL.contains(group) && !this.existing.contains(group);
	}

	private void warnOfProperty(ConfigurationPropertyName name, Place place) {
		ConfigurationPropertyName parent = name.getParent();
		while (!this.existing.contains(parent)) {
			parent = parent.getParent();
		}
		String meant = null;
		for (ConfigurationPropertyName locks : BY_LOCK) {
			int attribute = locks.getNumberOfElements() + 1;
			if (locks.isAncestorOf(name) && name.getNumberOfElements() > attribute + 1) {
				parent = name.chop(attribute);
				meant = withoutBrackets(locks, name, children(parent));
			}
		}
		Set<String> children = children(parent);
		meant = (meant != null) ? meant : misspelled(parent, name, children);
		if (meant == null && place.mayBeOfOthers()) {
			return;
		}
		logger.warn("The property '%s' (%s) does not exist, so it has no effect.%s Below '%s' there are: %s".formatted(
				name, place, (meant != null) ? " Did you mean '" + meant + "'?" : "", parent,
				children.isEmpty() ? "none" : String.join(", ", children)));
	}

	private Set<String> children(ConfigurationPropertyName parent) {
		return Stream.concat(this.existing.stream(), OPTIONAL.stream())
			.filter(parent::isParentOf)
			.map((child) -> child.getLastElement(Form.DASHED))
			.collect(Collectors.toCollection(TreeSet::new));
	}

	/** Take all elements but the last one for the name of a lock. */
	private static String withoutBrackets(ConfigurationPropertyName locks, ConfigurationPropertyName name,
			Set<String> attributes) {
		int last = name.getNumberOfElements() - 1;
		String lock = IntStream.range(locks.getNumberOfElements(), last)
			.mapToObj((i) -> name.getElement(i, Form.ORIGINAL))
			.collect(Collectors.joining("."));
		String attribute = name.getElement(last, Form.DASHED);
		return path(locks, lock) + "." + Objects.requireNonNullElse(closest(attribute, attributes), attribute);
	}

	private static @Nullable String misspelled(ConfigurationPropertyName parent, ConfigurationPropertyName name,
			Set<String> children) {
		int depth = parent.getNumberOfElements();
		String closest = closest(name.getElement(depth, Form.DASHED), children);
		return (closest != null) ? parent.append(closest).append(name.subName(depth + 1)).toString() : null;
	}

	/** Return the names of locks that have properties, each with one of these. */
	private SortedMap<String, Place> locks(ConfigurationPropertyName parent,
			Map<ConfigurationPropertyName, Place> configured) {
		SortedMap<String, Place> locks = new TreeMap<>();
		configured.forEach((name, place) -> {
			if (parent.isAncestorOf(name) && this.existing.contains(name)) {
				locks.putIfAbsent(name.getElement(parent.getNumberOfElements(), Form.ORIGINAL), place);
			}
		});
		return locks;
	}

	/**
	 * Warn of names that no annotated method uses, if they are close to one that has no
	 * properties. Others may be right: code may ask for any lock.
	 */
	private void warnOfLocks(ConfigurationPropertyName parent, Map<String, Place> configured, Collection<String> used) {
		List<String> candidates = used.stream().filter((name) -> !configured.containsKey(name)).toList();
		configured.forEach((name, place) -> {
			String closest = used.contains(name) ? null : closest(name, candidates);
			if (closest != null) {
				logger
					.warn(("No annotated method uses the lock of '%s' (%s). Did you mean '%s'? The locks of annotated "
							+ "methods are: %s. Nothing is wrong if code or a lazy bean uses lock '%s'")
						.formatted(path(parent, name), place, path(parent, closest), shown(used), name));
			}
		});
	}

	private static String shown(Collection<String> names) {
		String shown = names.stream().limit(SHOWN_NAMES).collect(Collectors.joining(", "));
		return (names.size() > SHOWN_NAMES) ? shown + ", ..." : shown;
	}

	private static String path(ConfigurationPropertyName parent, String lock) {
		return parent + "." + (WITHOUT_BRACKETS.matcher(lock).matches() ? lock : "[" + lock + "]");
	}

	/**
	 * Return what a word was probably meant to be: the same one apart from case and
	 * special characters, or the closest one with about a quarter of the characters wrong
	 * at most. Words that differ in digits only are different on purpose.
	 */
	private static @Nullable String closest(String word, Collection<String> candidates) {
		String typed = uniform(word);
		String closest = null;
		int least = (typed.length() + 1) / 4;
		for (String candidate : candidates) {
			String meant = uniform(candidate);
			int distance = distance(typed, meant);
			boolean numbered = DIGITS.matcher(typed).replaceAll("").equals(DIGITS.matcher(meant).replaceAll(""));
			if (distance == 0 || (distance <= least && !numbered)) {
				closest = (closest == null || distance < least) ? candidate : closest;
				least = distance;
			}
		}
		return closest;
	}

	private static String uniform(String word) {
		return NOT_UNIFORM.matcher(word).replaceAll("").toLowerCase(Locale.ROOT);
	}

	/**
	 * Return how many characters have to be inserted, deleted, replaced, or swapped with
	 * their neighbour (optimal string alignment).
	 */
	private static int distance(String from, String to) {
		int[][] distance = new int[from.length() + 1][to.length() + 1];
		for (int i = 0; i <= from.length(); i++) {
			for (int j = 0; j <= to.length(); j++) {
				distance[i][j] = (Math.min(i, j) == 0) ? Math.max(i, j)
						: Math.min(Math.min(distance[i - 1][j], distance[i][j - 1]) + 1,
								distance[i - 1][j - 1] + ((from.charAt(i - 1) == to.charAt(j - 1)) ? 0 : 1));
				if (i > 1 && j > 1 && from.charAt(i - 1) == to.charAt(j - 2)
						&& from.charAt(i - 2) == to.charAt(j - 1)) {
					distance[i][j] = Math.min(distance[i][j], distance[i - 2][j - 2] + 1);
				}
			}
		}
		return distance[from.length()][to.length()];
	}

	/**
	 * Where a property is configured.
	 *
	 * @param origin file and line, or the name of the source
	 * @param mayBeOfOthers whether code of any kind reads properties there
	 */
	private record Place(String origin, boolean mayBeOfOthers) {

		static Place of(ConfigurationPropertySource source, ConfigurationPropertyName name) {
			String sourceName = (source.getUnderlyingSource() instanceof PropertySource<?> underlying)
					? underlying.getName() : "unknown";
			Origin origin = Origin.from(source.getConfigurationProperty(name));
			return new Place((origin != null) ? origin.toString() : "property source \"" + sourceName + "\"",
					sourceName.equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME));
		}

		@Override
		public String toString() {
			return this.origin;
		}

	}

	/** Notes what the binder asks for. */
	private final class Observer extends AbstractBindHandler {

		Observer(BindHandler parent) {
			super(parent);
		}

		@Override
		public <T> @Nullable Bindable<T> onStart(ConfigurationPropertyName name, Bindable<T> target,
				BindContext context) {
			if (ROOT.equals(name)) {
				UnknownPropertyCheck.this.sources = context.getSources();
			}
			if (ROOT.equals(name) || ROOT.isAncestorOf(name)) {
				UnknownPropertyCheck.this.existing.add(name);
			}
			return super.onStart(name, target, context);
		}

	}

}
