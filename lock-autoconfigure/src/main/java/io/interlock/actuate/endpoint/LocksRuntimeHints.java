package io.interlock.actuate.endpoint;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * What a native image has to keep of the answers that no signature names.
 */
class LocksRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		new BindingReflectionHintsRegistrar().registerReflectionHints(hints.reflection(), ClusterLocksDescriptor.class,
				LocksErrorDescriptor.class, LocksAdminEndpointWebExtension.ReleaseDescriptor.class,
				LocksAdminEndpointWebExtension.RequestDescriptor.class);
	}

}
