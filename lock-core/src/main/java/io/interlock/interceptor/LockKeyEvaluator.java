package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.interlock.LockId;
import io.interlock.LockKeyConverter;
import io.interlock.LockKeyed;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.util.ObjectUtils;

/** A parsed key expression, evaluated in every call of its method. */
final class LockKeyEvaluator implements LockKey {

	private final SpelExpression expression;

	private final String name;

	private final Method method;

	private final Map<String, Integer> parameters;

	private final StandardEvaluationContext delegates;

	/** Index of the argument that is the whole expression: it needs no evaluation. */
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
		return key(present(invocation));
	}

	/** Return the keys of a call, one for each element of a collection or an array. */
	List<String> evaluateAll(MethodInvocation invocation) {
		Collection<?> values = elements(present(invocation));
		List<String> keys = new ArrayList<>(values.size());
		for (Object each : values) {
			keys.add(key(present(each)));
		}
		return keys;
	}

	private static Collection<?> elements(Object value) {
		if (value.getClass().isArray()) {
			return Arrays.asList(ObjectUtils.toObjectArray(value));
		}
		return (value instanceof Collection<?> collection && !(value instanceof LockKeyed)) ? collection
				: List.of(value);
	}

	private Object present(MethodInvocation invocation) {
		Object value = value(invocation);
		return present((value instanceof Optional<?> optional) ? optional.orElse(null) : value);
	}

	private Object present(@Nullable Object value) {
		if (value == null) {
			throw invalid("is null. Pass a value, or write what stands for none, as in \"#sku ?: 'none'\".", null);
		}
		return value;
	}

	private String key(Object value) {
		String key = convert(value);
		if (key.isBlank()) {
			throw invalid("is blank.", null);
		}
		if (key.length() > LockId.MAX_LENGTH) {
			throw invalid(("has %d characters, more than %d. Use what identifies it, such as its number, or hash it in "
					+ "the expression.")
				.formatted(key.length(), LockId.MAX_LENGTH), null);
		}
		return key;
	}

	private String convert(Object value) {
		try {
			return LockKeyConverter.convert(value);
		}
		catch (IllegalArgumentException ex) {
			throw invalid("cannot be used. " + ex.getMessage(), ex);
		}
	}

	private @Nullable Object value(MethodInvocation invocation) {
		@Nullable Object[] arguments = invocation.getArguments();
		if (this.argument != null) {
			return arguments[this.argument];
		}
		Context context = new Context(new Root(this.method, arguments, invocation.getThis()), this.parameters);
		this.delegates.applyDelegatesTo(context);
		try {
			return this.expression.getValue(context);
		}
		catch (EvaluationException ex) {
			throw invalid("cannot be evaluated: " + ex.getMessage(), ex);
		}
	}

	private IllegalArgumentException invalid(String problem, @Nullable Exception cause) {
		return new IllegalArgumentException(
				"Key '%s' of lock '%s' on %s %s".formatted(this.expression.getExpressionString(), this.name,
						LockDefinitionException.describe(this.method), problem),
				cause);
	}

	/** Variables of one call, with names that were made once for the method. */
	private static final class Context extends StandardEvaluationContext {

		private final Map<String, Integer> parameters;

		private final @Nullable Object[] arguments;

		Context(Root root, Map<String, Integer> parameters) {
			super(root);
			this.parameters = parameters;
			this.arguments = root.args();
		}

		@Override
		public @Nullable Object lookupVariable(String name) {
			Integer index = this.parameters.get(name);
			return (index != null) ? this.arguments[index] : super.lookupVariable(name);
		}

	}

	/** The {@code #root} of expressions. */
	record Root(Method method, @Nullable Object[] args, @Nullable Object target) {

		public String methodName() {
			return this.method.getName();
		}

		public Class<?> targetClass() {
			return (this.target != null) ? AopProxyUtils.ultimateTargetClass(this.target)
					: this.method.getDeclaringClass();
		}

	}

}
