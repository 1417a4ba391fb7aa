package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * The key of a method as an expression: parsed once, evaluated in every call.
 */
final class LockKeyEvaluator implements LockKey {

	private final SpelExpression expression;

	private final String name;

	private final Method method;

	private final Map<String, Integer> parameters;

	private final StandardEvaluationContext delegates;

	/**
	 * Index of the argument that is the whole expression, the most frequent one, which
	 * needs no evaluation.
	 */
	private final @Nullable Integer argument;

	LockKeyEvaluator(SpelExpression expression, String name, Method method, Map<String, Integer> parameters,
			StandardEvaluationContext delegates) {
		this.expression = expression;
		this.name = name;
		this.method = method;
		this.parameters = parameters;
		this.delegates = delegates;
		SpelNode root = expression.getAST();
		this.argument = (root instanceof VariableReference) ? parameters.get(root.toStringAST().substring(1)) : null;
	}

	@Override
	public String evaluate(MethodInvocation invocation) {
		Object value = value(invocation);
		if (value instanceof Optional<?> optional) {
			value = optional.orElse(null);
		}
		if (value == null) {
			throw invalid("is null.", null);
		}
		String key = value.toString();
		if (key == null || key.isBlank()) {
			throw invalid("is blank.", null);
		}
		String identity = value.getClass().getName() + "@";
		if (key.startsWith(identity)) {
			throw invalid(
					"is an object of type %s, whose text is different in every JVM. Use a property that identifies it."
						.formatted(value.getClass().getTypeName()),
					null);
		}
		return key;
	}

	private @Nullable Object value(MethodInvocation invocation) {
		@Nullable Object[] arguments = invocation.getArguments();
		if (this.argument != null) {
			return arguments[this.argument];
		}
		LockKeyRoot root = new LockKeyRoot(this.method, arguments, invocation.getThis());
		LockKeyContext context = new LockKeyContext(root, this.parameters, arguments);
		this.delegates.applyDelegatesTo(context);
		try {
			return this.expression.getValue(context);
		}
		catch (EvaluationException ex) {
			throw invalid("cannot be evaluated: " + ex.getMessage(), ex);
		}
	}

	private IllegalArgumentException invalid(String problem, @Nullable Exception cause) {
		return new IllegalArgumentException("Key '%s' of lock '%s' on %s %s".formatted(
				this.expression.getExpressionString(), this.name, MethodNames.describe(this.method), problem), cause);
	}

}
