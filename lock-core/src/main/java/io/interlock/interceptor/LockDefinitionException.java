package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * A lock annotation cannot work in itself or on its method. Thrown when the bean is
 * created, before any call.
 *
 * @since 0.1.0
 */
public class LockDefinitionException extends IllegalStateException {

	private final String problem;

	private final String remedy;

	/**
	 * Create an exception.
	 * @param location the annotated method or type
	 * @param problem what is wrong, a sentence
	 * @param remedy what to do about it, a sentence
	 * @param cause the reason, if there is one
	 */
	public LockDefinitionException(String location, String problem, String remedy, @Nullable Throwable cause) {
		super("Lock on %s: %s %s".formatted(location, problem, remedy), cause);
		this.problem = "The lock annotation on %s cannot work: %s".formatted(location, problem);
		this.remedy = remedy;
	}

	LockDefinitionException(Method method, String problem, String remedy, @Nullable Throwable cause) {
		this(describe(method), problem, remedy, cause);
	}

	static String describe(Method method) {
		String parameters = Arrays.stream(method.getParameterTypes())
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", ", "(", ")"));
		return method.getDeclaringClass().getName() + "." + method.getName() + parameters;
	}

	/** Return what is wrong, and where. */
	public String problem() {
		return this.problem;
	}

	/** Return what to do about it. */
	public String remedy() {
		return this.remedy;
	}

}
