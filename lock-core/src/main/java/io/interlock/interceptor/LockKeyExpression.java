package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

import io.interlock.LockId;
import io.interlock.LockKeyed;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ExpressionException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.util.Assert;
import org.springframework.util.ObjectUtils;

/** A key expression: checked once for its method, evaluated in every call. */
final class LockKeyExpression {

	private static final Set<String> BUILT_IN_VARIABLES = Set.of("#root", "#this");

	private static final Set<String> ROOT_PROPERTIES = Set.of("method", "methodName", "args", "target", "targetClass");

	private static final Pattern VARIABLE = Pattern
		.compile("#(\\p{javaJavaIdentifierStart}\\p{javaJavaIdentifierPart}*)");

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	private static final ParameterNameDiscoverer PARAMETER_NAMES = new DefaultParameterNameDiscoverer();

	private final SpelExpression expression;

	private final Site site;

	private final Map<String, Integer> parameters;

	private final StandardEvaluationContext delegates;

	/** Index of the argument that is the whole expression: it needs no evaluation. */
	private final @Nullable Integer argument;

	/** The delegates are shared, so that accessors resolve a property once. */
	LockKeyExpression(String text, Site site, StandardEvaluationContext delegates) {
		this.expression = parse(text, site.method());
		this.site = site;
		this.parameters = site.parameters();
		this.delegates = delegates;
		SpelNode root = this.expression.getAST();
		checkVariables(root);
		checkRootProperties(root);
		this.argument = (root instanceof VariableReference) ? this.parameters.get(root.toStringAST().substring(1))
				: null;
	}

	private static SpelExpression parse(String text, Method method) {
		try {
			return PARSER.parseRaw(text);
		}
		catch (ExpressionException ex) {
			throw new LockDefinitionException(method,
					"The key '%s' is not a SpEL expression (%s).".formatted(text, ex.getMessage()),
					"Correct the expression; a parameter is written '#id', a text \"'all'\".", ex);
		}
	}

	private void checkVariables(SpelNode node) {
		if (node instanceof FunctionReference) {
			throw refuse("calls '%s', but there are no functions.".formatted(node.toStringAST()),
					"Call a method of a bean, as in '@bean.method(#id)'.");
		}
		if (node instanceof VariableReference) {
			String variable = node.toStringAST();
			if (!BUILT_IN_VARIABLES.contains(variable) && !this.parameters.containsKey(variable.substring(1))) {
				throw refuse("names '%s', which is not a parameter.".formatted(variable), remedy());
			}
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			checkVariables(node.getChild(i));
		}
	}

	private String remedy() {
		int count = this.site.method().getParameterCount();
		if (count == 0) {
			return "The method has no parameters; write a text as \"'all'\".";
		}
		if (this.parameters.size() == 2 * count) {
			return "The names of the parameters are not in the class file: compile with -parameters, or use '#p0'.";
		}
		return "Use one of #" + String.join(", #", this.parameters.keySet()) + ".";
	}

	private void checkRootProperties(SpelNode node) {
		if (node instanceof PropertyOrFieldReference property && !ROOT_PROPERTIES.contains(property.getName())) {
			throw refuse("reads '%s', which is neither a parameter nor a text.".formatted(property.getName()),
					"Write a parameter as '#%1$s', or a text as \"'%1$s'\".".formatted(property.getName()));
		}
		if (node instanceof CompoundExpression) {
			checkRootProperties(node.getChild(0));
		}
		if (node instanceof OpPlus) {
			for (int i = 0; i < node.getChildCount(); i++) {
				checkRootProperties(node.getChild(i));
			}
		}
	}

	private LockDefinitionException refuse(String problem, String remedy) {
		return new LockDefinitionException(this.site.method(),
				"The key '%s' %s".formatted(this.expression.getExpressionString(), problem), remedy, null);
	}

	String evaluate(MethodInvocation invocation) {
		return key(present(invocation));
	}

	/** An expression gives one key, or one for each element. */
	static List<String> evaluateAll(List<LockKeyExpression> expressions, MethodInvocation invocation) {
		List<String> keys = expressions.stream()
			.flatMap((each) -> each.evaluateAll(invocation).stream())
			.distinct()
			.toList();
		Assert.isTrue(!keys.isEmpty(), () -> {
			Site site = expressions.get(0).site;
			return "The keys %s of lock '%s' on %s are empty, so there is nothing to lock. Do not call the method without elements"
				.formatted(expressions.stream().map((each) -> each.expression.getExpressionString()).toList(),
						site.name(), LockDefinitionException.describe(site.method()));
		});
		return keys;
	}

	private List<String> evaluateAll(MethodInvocation invocation) {
		return elements(present(invocation)).stream().map((each) -> key(present(each))).toList();
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
			throw invalid("is null. Pass a value, or give a default, as in \"#sku ?: 'none'\".", null);
		}
		return value;
	}

	private String key(Object value) {
		String key = convert(value);
		if (key.isBlank()) {
			throw invalid("is blank.", null);
		}
		if (key.length() > LockId.MAX_LENGTH) {
			throw invalid(("has %d characters, more than %d. Use an identifier, such as its number, or hash it in "
					+ "the expression.")
				.formatted(key.length(), LockId.MAX_LENGTH), null);
		}
		return key;
	}

	private String convert(Object value) {
		try {
			return LockId.keyOf(value);
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
		Context context = new Context(new Root(this.site.method(), arguments, invocation.getThis()), this.parameters);
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
				"Key '%s' of lock '%s' on %s %s".formatted(this.expression.getExpressionString(), this.site.name(),
						LockDefinitionException.describe(this.site.method()), problem),
				cause);
	}

	/** Variables of one call, by the index of the argument. */
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

	/** Where keys are written; the parameter names of {@code declaration} win. */
	record Site(String name, Method method, Method declaration) {

		/** Refuse a lock name with a parameter of the method or any expression in it. */
		void checkName() {
			Map<String, Integer> parameters = parameters();
			boolean varies = VARIABLE.matcher(this.name)
				.results()
				.anyMatch((variable) -> parameters.containsKey(variable.group(1)));
			if (varies || this.name.contains("#{")) {
				throw new LockDefinitionException(this.method,
						"The name '%s' looks like an expression, but a name is a literal.".formatted(this.name),
						"Put what varies from call to call into 'key', as in @DistributedLock(name = \"stock\", key = \"#sku\").",
						null);
			}
		}

		private Map<String, Integer> parameters() {
			Map<String, Integer> parameters = new LinkedHashMap<>();
			addNames(this.method, parameters);
			addNames(this.declaration, parameters);
			for (int i = 0; i < this.method.getParameterCount(); i++) {
				parameters.put("p" + i, i);
				parameters.put("a" + i, i);
			}
			parameters.remove("root");
			return parameters;
		}

		private static void addNames(Method method, Map<String, Integer> parameters) {
			@Nullable String @Nullable [] names = PARAMETER_NAMES.getParameterNames(method);
			for (int i = 0; names != null && i < names.length; i++) {
				if (names[i] != null) {
					parameters.put(names[i], i);
				}
			}
		}

	}

}
