package io.interlock.interceptor;

import io.interlock.LockMode;
import io.interlock.LossPolicy;
import io.interlock.ReleasePolicy;
import io.interlock.annotation.ContentionPolicy;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Hints for annotations, the root of keys, and the factory of {@link WaitTime}. */
class LockRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.reflection()
			.registerType(LockMode.class, MemberCategory.ACCESS_DECLARED_FIELDS)
			.registerType(LossPolicy.class, MemberCategory.ACCESS_DECLARED_FIELDS)
			.registerType(ReleasePolicy.class, MemberCategory.ACCESS_DECLARED_FIELDS)
			.registerType(ContentionPolicy.class, MemberCategory.ACCESS_DECLARED_FIELDS)
			.registerType(LockKeyExpression.Root.class, MemberCategory.INVOKE_PUBLIC_METHODS)
			.registerType(WaitTime.class, MemberCategory.INVOKE_PUBLIC_METHODS);
	}

}
