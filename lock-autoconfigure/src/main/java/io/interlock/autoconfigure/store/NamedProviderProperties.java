package io.interlock.autoconfigure.store;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.interlock.autoconfigure.store.NoStoreFailureAnalyzer.NoStoreException;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;

/**
 * Properties below {@code interlock.providers}, and their names. Spring Boot takes the
 * index of a list for a name, and leaves out what a name without brackets must not
 * contain, so names are read as they are bound and as they are written. Stateless.
 */
final class NamedProviderProperties {

	private static final Pattern NAME = Pattern.compile("(?!\\d+$)[a-z0-9][a-z0-9-]*");

	private static final Pattern WRITTEN = Pattern
		.compile(Pattern.quote(LockStores.NAMED) + "(?:\\.?\\[([^\\]]*)]|\\.([^.\\[]+)).*");

	private NamedProviderProperties() {
	}

	/**
	 * Return the names.
	 * @throws NoStoreException if no annotation could write one of them
	 */
	static Set<String> names(Environment environment) {
		Set<String> names = Binder.get(environment)
			.bind(LockStores.NAMED, Bindable.mapOf(String.class, Object.class))
			.orElse(Map.of())
			.keySet();
		Set<String> all = new LinkedHashSet<>(names);
		written(environment).forEach(all::add);
		all.stream().filter((name) -> !NAME.matcher(name).matches()).findFirst().ifPresent((name) -> {
			throw new NoStoreException(
					"A lock provider cannot have the name '%s' below %s.".formatted(name, LockStores.NAMED),
					("Write %s.<name>.provider=<store>, with a name of lower-case letters, digits and dashes. List "
							+ "elements have no names, and an at sign separates a lock from its provider.")
						.formatted(LockStores.NAMED));
		});
		return names;
	}

	private static Stream<String> written(Environment environment) {
		if (!(environment instanceof ConfigurableEnvironment configurable)) {
			return Stream.of();
		}
		return configurable.getPropertySources()
			.stream()
			.filter(EnumerablePropertySource.class::isInstance)
			.flatMap((source) -> Stream.of(((EnumerablePropertySource<?>) source).getPropertyNames()))
			.map(WRITTEN::matcher)
			.filter(Matcher::matches)
			.map((matcher) -> (matcher.group(1) != null) ? matcher.group(1) : matcher.group(2));
	}

}
