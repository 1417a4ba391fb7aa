package io.interlock.interceptor;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * Tells under which lock a method runs. Implementations are safe for use by many threads
 * and remember their answers: they are asked in every call of an advised method.
 *
 * @since 0.1.0
 */
public interface LockDefinitionSource {

	/**
	 * Return whether any method of a class may have a lock. A cheap filter for the many
	 * classes that have none.
	 * @param targetClass the class of a bean
	 * @return {@code false} only if {@link #getLockDefinition} returns {@code null} for
	 * every method of the class
	 */
	default boolean isCandidateClass(Class<?> targetClass) {
		return true;
	}

	/**
	 * Return the lock of a method.
	 * @param method the method that is called; may be declared by an interface
	 * @param targetClass the class of the object that it is called on, or {@code null} if
	 * it is not known
	 * @return the definition, or {@code null} if the method runs without a lock
	 * @throws LockDefinitionException if the method asks for a lock that cannot work
	 */
	@Nullable LockDefinition getLockDefinition(Method method, @Nullable Class<?> targetClass);

}
