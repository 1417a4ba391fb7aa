package io.interlock.interceptor;

import java.beans.PropertyDescriptor;
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

import org.springframework.beans.BeanUtils;
import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.ClassUtils;

/**
 * Knows from the declarations of a method and its parameter types which expressions give
 * no keys. What a declared type leaves open, such as an interface, is decided in the
 * call.
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
	 * Return what makes the value of an expression no key, if declarations show it.
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
		ResolvableType type = type(expression, ResolvableType.NONE);
		return refused(many ? element(type) : type, new HashSet<>());
	}

	/**
	 * Return the declared type of a parameter, or of what is reached from it by
	 * properties, methods without arguments and projections.
	 * @param owner the type of what the expression is evaluated for
	 */
	private ResolvableType type(SpelNode expression, ResolvableType owner) {
		if (expression instanceof VariableReference) {
			Integer index = this.parameters.get(expression.toStringAST().substring(1));
			return (index != null) ? ResolvableType.forMethodParameter(this.method, index, this.targetClass)
					: ResolvableType.NONE;
		}
		if (expression instanceof CompoundExpression) {
			ResolvableType type = owner;
			for (int i = 0; i < expression.getChildCount(); i++) {
				type = type(expression.getChild(i), type);
			}
			return type;
		}
		if (expression instanceof PropertyOrFieldReference property) {
			return returned(reader(owner.toClass(), property.getName()), owner);
		}
		if (expression instanceof MethodReference call && call.getChildCount() == 0) {
			return returned(ClassUtils.getMethodIfAvailable(owner.toClass(), call.getName()), owner);
		}
		if (expression instanceof Projection && Collection.class.isAssignableFrom(owner.toClass())) {
			ResolvableType element = type(expression.getChild(0), element(owner));
			return ResolvableType.forClassWithGenerics(List.class, element);
		}
		return ResolvableType.NONE;
	}

	/**
	 * Return what reads a property, a component of a record included.
	 */
	private static @Nullable Method reader(Class<?> owner, String property) {
		PropertyDescriptor descriptor = BeanUtils.getPropertyDescriptor(owner, property);
		return (descriptor != null && descriptor.getReadMethod() != null) ? descriptor.getReadMethod()
				: ClassUtils.getMethodIfAvailable(owner, property);
	}

	private static ResolvableType returned(@Nullable Method reader, ResolvableType owner) {
		return (reader != null)
				? ResolvableType.forType(reader.getGenericReturnType(), owner.as(reader.getDeclaringClass()))
				: ResolvableType.NONE;
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
