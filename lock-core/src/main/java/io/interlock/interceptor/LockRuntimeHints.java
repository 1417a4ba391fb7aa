package io.interlock.interceptor;

import io.interlock.LockMode;
import io.interlock.LossPolicy;
import io.interlock.ReleasePolicy;
import io.interlock.annotation.ContentionPolicy;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * {@link RuntimeHintsRegistrar} for the annotations, the root of key expressions, and the
 * factory method of {@link WaitTime}, which the binder of configuration properties finds
 * by reflection.
 */
class LockRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.reflection()
			.registerType(LockMode.class, MemberCategory.ACCESS_DECLARED_FIELDS)
			.registerType(LossPolicy.class, MemberCategory.ACCESS_DECLARED_FIELDS)
			.registerType(ReleasePolicy.class, MemberCategory.ACCESS_DECLARED_FIELDS)
			.registerType(ContentionPolicy.class, MemberCategory.ACCESS_DECLARED_FIELDS)
			.registerType(LockKeyEvaluator.Root.class, MemberCategory.INVOKE_PUBLIC_METHODS)
			.registerType(WaitTime.class, MemberCategory.INVOKE_PUBLIC_METHODS);
	}

}
