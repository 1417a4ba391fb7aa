package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
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

/**
 * Parses key expressions and refuses those that name what is not there.
 */
final class LockKeyParser {

	private static final Set<String> BUILT_IN_VARIABLES = Set.of("#root", "#this");

	private static final Set<String> ROOT_PROPERTIES = Set.of("method", "methodName", "args", "target", "targetClass");

	private static final Pattern VARIABLE = Pattern
		.compile("#(\\p{javaJavaIdentifierStart}\\p{javaJavaIdentifierPart}*)");

	private final SpelExpressionParser parser = new SpelExpressionParser();

	private final ParameterNameDiscoverer parameterNames = new DefaultParameterNameDiscoverer();

	/** Shared, so that what its accessors find out about a property is found out once. */
	private final StandardEvaluationContext delegates = new StandardEvaluationContext();

	LockKeyParser(@Nullable BeanFactory beanFactory) {
		if (beanFactory != null) {
			this.delegates.setBeanResolver(new BeanFactoryResolver(beanFactory));
		}
	}

	/** Parse the key of a method. */
	LockKeyEvaluator parse(String text, Site site) {
		Method method = site.method();
		Map<String, Integer> parameters = parameters(site);
		SpelExpression expression = parse(text, method);
		checkVariables(expression.getAST(), text, method, parameters);
		checkRootProperties(expression.getAST(), text, method);
		return new LockKeyEvaluator(expression, site.name(), method, parameters, this.delegates);
	}

	/**
	 * Parse the keys of a method, each of which gives one key or a collection of keys.
	 */
	LockKeys parseAll(List<String> texts, Site site) {
		List<LockKeyEvaluator> evaluators = texts.stream().map((text) -> parse(text, site)).toList();
		return (invocation) -> {
			List<String> keys = evaluators.stream()
				.flatMap((each) -> each.evaluateAll(invocation).stream())
				.distinct()
				.toList();
			Assert.isTrue(!keys.isEmpty(),
					() -> "The keys %s of lock '%s' on %s are empty, so there is nothing to lock. Do not call the method without elements"
						.formatted(texts, site.name(), LockDefinitionException.describe(site.method())));
			return keys;
		};
	}

	/**
	 * Refuse a name of a lock that has a parameter of the method in it, or any
	 * expression.
	 */
	void checkName(Site site) {
		Map<String, Integer> parameters = parameters(site);
		boolean varies = VARIABLE.matcher(site.name())
			.results()
			.anyMatch((variable) -> parameters.containsKey(variable.group(1)));
		if (varies || site.name().contains("#{")) {
			throw new LockDefinitionException(site.method(),
					"The name '%s' looks like an expression, but a name is a literal.".formatted(site.name()),
					"Put what varies from call to call into 'key', as in @DistributedLock(name = \"stock\", key = \"#sku\").",
					null);
		}
	}

	private SpelExpression parse(String text, Method method) {
		try {
			return this.parser.parseRaw(text);
		}
		catch (ExpressionException ex) {
			throw new LockDefinitionException(method,
					"The key '%s' is not a SpEL expression (%s).".formatted(text, ex.getMessage()),
					"Correct the expression; a parameter is written '#id', a text \"'all'\".", ex);
		}
	}

	private Map<String, Integer> parameters(Site site) {
		Map<String, Integer> parameters = new LinkedHashMap<>();
		addNames(site.method(), parameters);
		addNames(site.declaration(), parameters);
		for (int i = 0; i < site.method().getParameterCount(); i++) {
			parameters.put("p" + i, i);
			parameters.put("a" + i, i);
		}
		parameters.remove("root");
		return parameters;
	}

	private void addNames(Method method, Map<String, Integer> parameters) {
		@Nullable String @Nullable [] names = this.parameterNames.getParameterNames(method);
		for (int i = 0; names != null && i < names.length; i++) {
			if (names[i] != null) {
				parameters.put(names[i], i);
			}
		}
	}

	private void checkVariables(SpelNode node, String text, Method method, Map<String, Integer> parameters) {
		if (node instanceof FunctionReference) {
			throw new LockDefinitionException(method,
					"The key '%s' calls '%s', but there are no functions.".formatted(text, node.toStringAST()),
					"Call a method of a bean, as in '@bean.method(#id)'.", null);
		}
		if (node instanceof VariableReference) {
			String variable = node.toStringAST();
			if (!BUILT_IN_VARIABLES.contains(variable) && !parameters.containsKey(variable.substring(1))) {
				throw new LockDefinitionException(method,
						"The key '%s' names '%s', which is not a parameter.".formatted(text, variable),
						remedy(method, parameters), null);
			}
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			checkVariables(node.getChild(i), text, method, parameters);
		}
	}

	private static String remedy(Method method, Map<String, Integer> parameters) {
		if (method.getParameterCount() == 0) {
			return "The method has no parameters; write a text as \"'all'\".";
		}
		if (parameters.size() == 2 * method.getParameterCount()) {
			return "The names of the parameters are not in the class file: compile with -parameters, or use '#p0'.";
		}
		return "Use one of #" + String.join(", #", parameters.keySet()) + ".";
	}

	private static void checkRootProperties(SpelNode node, String text, Method method) {
		if (node instanceof PropertyOrFieldReference property && !ROOT_PROPERTIES.contains(property.getName())) {
			throw new LockDefinitionException(method,
					"The key '%s' reads '%s', which is neither a parameter nor a text.".formatted(text,
							property.getName()),
					"Write a parameter as '#%1$s', or a text as \"'%1$s'\".".formatted(property.getName()), null);
		}
		if (node instanceof CompoundExpression) {
			checkRootProperties(node.getChild(0), text, method);
		}
		if (node instanceof OpPlus) {
			for (int i = 0; i < node.getChildCount(); i++) {
				checkRootProperties(node.getChild(i), text, method);
			}
		}
	}

	/**
	 * Where keys are written.
	 *
	 * @param name name of the lock
	 * @param method the method that is called
	 * @param declaration the method that the annotation was written for, whose parameter
	 * names win
	 */
	record Site(String name, Method method, Method declaration) {

	}

}
