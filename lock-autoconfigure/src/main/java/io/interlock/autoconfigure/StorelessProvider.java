package io.interlock.autoconfigure;

import java.util.List;
import java.util.Set;

import io.interlock.internal.NearestName;
import io.interlock.autoconfigure.store.LockStores;
import io.interlock.autoconfigure.store.StoreChoice;

import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.context.ApplicationContext;

/**
 * A provider below {@code interlock.providers} that has no store. Its name may be
 * misspelled, or the property that says the store. Stateless.
 */
final class StorelessProvider {

	private StorelessProvider() {
	}

	/** Return the failure of the start, which names what does not exist, if anything. */
	static RuntimeException failure(String name, ApplicationContext context) {
		String prefix = LockStores.NAMED + "." + name;
		LockStores stores = LockStores.of(context.getClassLoader());
		Set<ConfigurationProperty> unknown = new KnownProperties().withStores(stores)
			.unknownBelow(ConfigurationPropertyName.of(prefix), context.getEnvironment());
		if (!unknown.isEmpty()) {
			return new UnboundConfigurationPropertiesException(unknown);
		}
		List<String> others = LockStores.namedProviders(context.getEnvironment())
			.stream()
			.filter((other) -> !other.equals(name))
			.toList();
		return StoreChoice.noStore(
				"Provider '%s' has no store, because %s.provider is not set.".formatted(name, prefix),
				"Set %s.provider to one of %s.%s".formatted(prefix, String.join(", ", stores.names()),
						NearestName.didYouMean(name, others, LockStores.NAMED + ".%s")));
	}

}
