package io.interlock.interceptor;

import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * What a key expression sees in one call: the arguments under the names of the parameters
 * as variables. Looks the names up in a map that is made once for the method, where
 * {@code MethodBasedEvaluationContext} would discover them in every call.
 */
final class LockKeyContext extends StandardEvaluationContext {

	private final Map<String, Integer> parameters;

	private final @Nullable Object[] arguments;

	LockKeyContext(LockKeyRoot root, Map<String, Integer> parameters, @Nullable Object[] arguments) {
		super(root);
		this.parameters = parameters;
		this.arguments = arguments;
	}

	@Override
	public @Nullable Object lookupVariable(String name) {
		Integer index = this.parameters.get(name);
		return (index != null) ? this.arguments[index] : super.lookupVariable(name);
	}

}
