package io.interlock.autoconfigure.store;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.StreamSupport;

import io.interlock.autoconfigure.store.NoStoreFailureAnalyzer.NoStoreException;
import io.interlock.internal.NearestName;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.util.StringUtils;

/**
 * The stores of a class path, and the names that {@code interlock.provider} may have.
 *
 * @since 0.1.0
 */
public final class LockStores {

	/** Prefix of the names of all properties of named providers. */
	public static final String NAMED = "interlock.providers";

	/** The memory of this JVM, for one application context. */
	public static final String MEMORY = "memory";

	/** Nowhere: every lock is granted at once, and nothing is excluded. */
	public static final String NONE = "none";

	/** What to add for a store whose module is absent, so that a message can say it. */
	private static final Map<String, String> STARTERS = starters();

	private final List<LockStoreFactory<?>> present;

	private LockStores(List<LockStoreFactory<?>> present) {
		this.present = present;
	}

	private static Map<String, String> starters() {
		Map<String, String> starters = new LinkedHashMap<>();
		starters.put("zookeeper", "io.interlock:lock-starter");
		starters.put("jdbc", "io.interlock:lock-jdbc-starter");
		starters.put("redis", "io.interlock:lock-redis-starter");
		return starters;
	}

	/**
	 * Return the stores of a class path.
	 * @throws IllegalStateException if two of them have one name
	 */
	public static LockStores of(@Nullable ClassLoader classLoader) {
		List<String> known = List.copyOf(STARTERS.keySet());
		List<LockStoreFactory<?>> present = new ArrayList<>();
		for (LockStoreFactory<?> store : SpringFactoriesLoader.forDefaultResourceLocation(classLoader)
			.load(LockStoreFactory.class, LockStores::passOverWhatLacksClasses)) {
			if (store.isPresent(classLoader)) {
				present.add(store);
			}
		}
		Comparator<LockStoreFactory<?>> order = Comparator
			.comparing((store) -> known.contains(store.name()) ? known.indexOf(store.name()) : known.size());
		present.sort(order.thenComparing(LockStoreFactory::name));
		checkNames(present);
		return new LockStores(List.copyOf(present));
	}

	private static void passOverWhatLacksClasses(Class<?> type, String implementation, Throwable failure) {
		if (!(failure instanceof ClassNotFoundException) && !(failure instanceof LinkageError)) {
			throw new IllegalStateException("%s cannot be instantiated from spring.factories".formatted(implementation),
					failure);
		}
	}

	private static void checkNames(List<LockStoreFactory<?>> stores) {
		Set<String> names = new HashSet<>(Set.of(MEMORY, NONE));
		for (LockStoreFactory<?> store : stores) {
			if (!names.add(plain(store.name()))) {
				throw new IllegalStateException("%s has the name '%s', which another lock store already uses"
					.formatted(store.getClass().getName(), store.name()));
			}
		}
	}

	/**
	 * Return the names below {@link #NAMED}.
	 * @throws IllegalStateException if one of them is no name, with what to write
	 */
	public static Set<String> namedProviders(Environment environment) {
		return NamedProviderProperties.names(environment);
	}

	/** Return those that are present. */
	public List<LockStoreFactory<?>> present() {
		return this.present;
	}

	/** Return the starters of the stores that are absent, by the names of the stores. */
	public Map<String, String> absent() {
		Map<String, String> absent = new LinkedHashMap<>(STARTERS);
		this.present.forEach((store) -> absent.remove(store.name()));
		return absent;
	}

	/** Return the names that a provider may have for its store, present or absent. */
	public List<String> names() {
		Set<String> names = new LinkedHashSet<>(STARTERS.keySet());
		this.present.forEach((store) -> names.add(store.name()));
		names.add(MEMORY);
		return List.copyOf(names);
	}

	/** Return the store of a name, if it is present. */
	public Optional<LockStoreFactory<?>> find(@Nullable String name) {
		return this.present.stream().filter((store) -> store.name().equals(name)).findFirst();
	}

	/**
	 * Return the name of the store that a property has, in whatever spelling.
	 * @return the name, or {@code null} if the property is not set
	 * @throws IllegalStateException if there is no such store, with what to write
	 */
	public @Nullable String bind(Environment environment, String property, BindHandler handler) {
		String value = Binder.get(environment).bind(property, Bindable.of(String.class), handler).orElse(null);
		if (!StringUtils.hasText(value)) {
			return null;
		}
		List<String> names = new ArrayList<>(names());
		names.add(NONE);
		return names.stream()
			.filter((name) -> plain(name).equals(plain(value)))
			.findFirst()
			.orElseThrow(() -> unknown(property, value, origin(environment, property), names));
	}

	private static String plain(String name) {
		return name.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N}]", "");
	}

	private static @Nullable Origin origin(Environment environment, String property) {
		ConfigurationPropertyName name = ConfigurationPropertyName.of(property);
		return StreamSupport.stream(ConfigurationPropertySources.get(environment).spliterator(), false)
			.map((source) -> source.getConfigurationProperty(name))
			.filter(Objects::nonNull)
			.findFirst()
			.map(Origin::from)
			.orElse(null);
	}

	private static NoStoreException unknown(String property, String value, @Nullable Origin origin,
			List<String> names) {
		String question = NearestName.didYouMean(value.toLowerCase(Locale.ROOT), names, "%s");
		return new NoStoreException(
				"Interlock has no such store:%n%n    Property: %s%n    Value: \"%s\"%n    Origin: %s"
					.formatted(property, value, origin),
				(question + " Set %s to one of %s.".formatted(property, String.join(", ", names))).strip());
	}

}
