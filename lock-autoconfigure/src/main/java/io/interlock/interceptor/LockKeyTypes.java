package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

import io.interlock.LockKeyConverter;
import io.interlock.LockKeyed;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * Knows from the declaration of a method which of its parameters cannot be keys. What a
 * declared type leaves open, such as an interface, is decided in the call.
 */
final class LockKeyTypes {

	/** Abstract types whose values are not keys, although a subtype might be one. */
	private static final List<Class<?>> CLOSED = List.of(Set.class, Map.class, Calendar.class);

	private final Method method;

	private final Class<?> targetClass;

	private final Map<String, Integer> parameters;

	LockKeyTypes(Method method, Class<?> targetClass, Map<String, Integer> parameters) {
		this.method = method;
		this.targetClass = targetClass;
		this.parameters = parameters;
	}

	/**
	 * Return what makes the value of an expression no key, if a parameter shows it.
	 * @param many whether a collection gives a key for each element
	 * @return a type, or {@code null} if the value may be a key
	 */
	@Nullable Class<?> refused(SpelNode expression, boolean many) {
		if (expression instanceof InlineList) {
			for (int i = 0; i < expression.getChildCount(); i++) {
				Class<?> refused = refused(expression.getChild(i), false);
				if (refused != null) {
					return refused;
				}
			}
		}
		Integer index = (expression instanceof VariableReference)
				? this.parameters.get(expression.toStringAST().substring(1)) : null;
		if (index == null) {
			return null;
		}
		ResolvableType type = ResolvableType.forMethodParameter(this.method, index, this.targetClass);
		return refused(many ? element(type) : type, new HashSet<>());
	}

	private static ResolvableType element(ResolvableType type) {
		Class<?> raw = type.toClass();
		if (raw == Optional.class) {
			return element(type.getGeneric(0));
		}
		if (raw.isArray()) {
			return type.getComponentType();
		}
		return (Collection.class.isAssignableFrom(raw) && !LockKeyed.class.isAssignableFrom(raw))
				? type.as(Collection.class).getGeneric(0) : type;
	}

	private static @Nullable Class<?> refused(ResolvableType type, Set<Class<?>> records) {
		Class<?> raw = type.toClass();
		if (raw == Object.class || LockKeyed.class.isAssignableFrom(raw) || LockKeyConverter.isText(raw)) {
			return null;
		}
		if (raw == Optional.class) {
			return refused(type.getGeneric(0), records);
		}
		if (List.class.isAssignableFrom(raw)) {
			return refused(type.as(List.class).getGeneric(0), records);
		}
		if (raw.isRecord()) {
			return records.add(raw) ? refusedPart(type, records) : null;
		}
		return isOpen(raw) ? null : raw;
	}

	private static @Nullable Class<?> refusedPart(ResolvableType type, Set<Class<?>> records) {
		return Arrays.stream(type.toClass().getRecordComponents())
			.map((part) -> refused(ResolvableType.forType(part.getGenericType(), type), records))
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

	/**
	 * Return whether a value of a type may be of a subtype that is a key.
	 */
	private static boolean isOpen(Class<?> type) {
		int modifiers = type.getModifiers();
		return Modifier.isAbstract(modifiers) && !Modifier.isFinal(modifiers)
				&& CLOSED.stream().noneMatch((closed) -> closed.isAssignableFrom(type));
	}

}
