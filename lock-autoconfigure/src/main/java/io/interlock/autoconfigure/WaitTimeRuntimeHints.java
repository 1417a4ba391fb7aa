package io.interlock.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.util.Assert;
import org.springframework.util.ReflectionUtils;

/**
 * {@link RuntimeHintsRegistrar} for {@link WaitTime}, whose factory method the binder of
 * configuration properties finds by reflection.
 */
class WaitTimeRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		var factoryMethod = ReflectionUtils.findMethod(WaitTime.class, "of", String.class);
		Assert.state(factoryMethod != null, "No factory method");
		hints.reflection().registerMethod(factoryMethod, ExecutableMode.INVOKE);
	}

}
