package io.interlock.interceptor;

import org.jspecify.annotations.Nullable;

/**
 * A lock annotation that cannot work: it is wrong in itself, or on the method that it
 * stands on. Thrown when the bean is created, before any call.
 *
 * @since 0.1.0
 */
public class LockDefinitionException extends IllegalStateException {

	private final String problem;

	private final String remedy;

	/**
	 * Create an exception.
	 * @param location the method or type that the annotation stands on
	 * @param problem what is wrong, a sentence
	 * @param remedy what to do about it, a sentence
	 * @param cause the reason, if there is one
	 */
	public LockDefinitionException(String location, String problem, String remedy, @Nullable Throwable cause) {
		super("Lock on %s: %s %s".formatted(location, problem, remedy), cause);
		this.problem = "The lock annotation on %s cannot work: %s".formatted(location, problem);
		this.remedy = remedy;
	}

	/**
	 * Return what is wrong, and where.
	 * @return the description
	 */
	public String problem() {
		return this.problem;
	}

	/**
	 * Return what to do about it.
	 * @return the advice
	 */
	public String remedy() {
		return this.remedy;
	}

}
