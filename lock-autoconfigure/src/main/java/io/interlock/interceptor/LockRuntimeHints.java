package io.interlock.interceptor;

import io.interlock.LockMode;
import io.interlock.LossPolicy;
import io.interlock.annotation.ContentionPolicy;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeHint;
import org.springframework.aot.hint.TypeReference;

/**
 * What the annotations and the root of key expressions need in a native image.
 */
class LockRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.reflection()
			.registerTypes(TypeReference.listOf(LockMode.class, LossPolicy.class, ContentionPolicy.class),
					TypeHint.builtWith(MemberCategory.ACCESS_DECLARED_FIELDS));
		hints.reflection().registerType(LockKeyRoot.class, MemberCategory.INVOKE_PUBLIC_METHODS);
	}

}
