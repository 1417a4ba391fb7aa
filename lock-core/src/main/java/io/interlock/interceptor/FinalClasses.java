package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Final classes with locked methods: no proxy can be a subclass of them.
 */
final class FinalClasses {

	private FinalClasses() {
	}

	/**
	 * Explain why a final class with an interface and a locked method has no proxy.
	 * @return the explanation, or {@code null} if that is not the reason
	 */
	static @Nullable LockDefinitionException explain(Class<?> type) {
		Method locked = Modifier.isFinal(type.getModifiers()) ? lockedMethod(type) : null;
		Class<?>[] interfaces = ClassUtils.getAllInterfacesForClass(type);
		if (locked == null || interfaces.length == 0) {
			return null;
		}
		return new LockDefinitionException(locked,
				"The %s %s is final, so it cannot have a proxy that is a subclass."
					.formatted(type.isRecord() ? "record" : "class", type.getName()),
				("%s Or keep it as it is: annotate it with @Proxyable(ProxyType.INTERFACES) and inject it as a %s, of which "
						+ "the locked methods must be members.")
					.formatted(remedy(type), interfaces[0].getSimpleName()),
				null);
	}

	/** Say what to do about a final class that needs a proxy. */
	static String remedy(Class<?> type) {
		return type.isRecord()
				? "Move the method out of the record into a class that is not final, or use LockTemplate inside the method."
				: "Remove 'final' (in Kotlin: 'open' the class, or use the compiler's plugin for Spring), or use LockTemplate "
						+ "inside the method.";
	}

	private static @Nullable Method lockedMethod(Class<?> type) {
		for (Class<?> declaring : LockAnnotation.hierarchy(type)) {
			for (Method method : ReflectionUtils.getDeclaredMethods(declaring)) {
				if (ClassUtils.isUserLevelMethod(method) && LockAnnotation.find(method, type) != null) {
					return method;
				}
			}
		}
		return null;
	}

}
