package io.interlock;

import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.ZoneId;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalAmount;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ReflectionUtils;

/**
 * Turns values into the texts of lock keys, the same in every JVM, for annotated methods
 * and {@link LockRequest#withKey}. Stateless.
 * <ul>
 * <li>{@link LockKeyed} is the key that it returns, even if it is one of the following
 * types.
 * <li>A text, a boolean, an integer, a {@link UUID} and a type of {@code java.time} are
 * their text, and an enum constant is its name.
 * <li>A {@link BigDecimal} is its value without trailing zeros and without an exponent,
 * unless that would be more than {@value #MAX_ZEROS} zeros.
 * <li>A list is the keys of its elements, separated by commas; in these a backslash goes
 * before each comma, bracket and backslash, and a list inside a list is in brackets.
 * <li>A record is the list of its components, or its component if it has only one, and an
 * {@link Optional} is its value.
 * </ul>
 * Everything else is refused.
 */
final class LockKeyConverter {

	private static final String REMEDY = "Use a property that identifies it, as in '#order.id', 'keys' for a lock on "
			+ "each of its elements, or let its type implement LockKeyed.";

	/** A number with more zeros is written with an exponent. */
	private static final int MAX_ZEROS = 100;

	private static final int MAX_DEPTH = 32;

	private static final Set<Class<?>> TEXTS = Set.of(Boolean.class, Character.class, Byte.class, Short.class,
			Integer.class, Long.class, BigInteger.class, BigDecimal.class, UUID.class);

	private static final Pattern SPECIAL = Pattern.compile("[,\\[\\]\\\\]");

	private LockKeyConverter() {
	}

	/**
	 * Return the text of a key.
	 * @param key the value
	 * @return the text, which may be blank if the value is
	 * @throws IllegalArgumentException if the value is of a type that cannot be a key, or
	 * contains {@code null} or itself
	 */
	static String convert(Object key) {
		if (key instanceof String || key instanceof Long || key instanceof Integer) {
			return key.toString();
		}
		Object value = unwrap(key, 0);
		return (value instanceof List<?> list) ? join(list, 0) : text(value);
	}

	private static boolean isText(Class<?> type) {
		return TEXTS.contains(type) || CharSequence.class.isAssignableFrom(type) || Enum.class.isAssignableFrom(type)
				|| isTime(type);
	}

	private static boolean isTime(Class<?> type) {
		return type.getPackageName().equals("java.time") && (TemporalAccessor.class.isAssignableFrom(type)
				|| TemporalAmount.class.isAssignableFrom(type) || ZoneId.class.isAssignableFrom(type));
	}

	private static String join(List<?> list, int depth) {
		return list.stream().map((element) -> element(element, depth + 1)).collect(Collectors.joining(","));
	}

	private static String element(@Nullable Object element, int depth) {
		Object value = unwrap(element, depth);
		return (value instanceof List<?> list) ? "[" + join(list, depth) + "]"
				: SPECIAL.matcher(text(value)).replaceAll("\\\\$0");
	}

	/**
	 * Return a list or a simple value. The limit of the depth ends a value that contains
	 * itself.
	 */
	private static Object unwrap(@Nullable Object value, int depth) {
		if (value == null) {
			throw new IllegalArgumentException("A lock key must neither be null nor contain null.");
		}
		if (depth > MAX_DEPTH) {
			throw new IllegalArgumentException(
					("A value of type %s cannot be a lock key: it contains itself, or is nested more than %d levels "
							+ "deep. Return an identifier from lockKey(), such as its number.")
						.formatted(value.getClass().getTypeName(), MAX_DEPTH));
		}
		if (value instanceof LockKeyed keyed) {
			return unwrap(keyOf(keyed), depth + 1);
		}
		if (value instanceof Optional<?> optional) {
			return unwrap(optional.orElse(null), depth + 1);
		}
		if (value instanceof Record record && !isText(record.getClass()) && !(value instanceof List<?>)) {
			List<@Nullable Object> parts = parts(record);
			return (parts.size() == 1) ? unwrap(parts.get(0), depth + 1) : parts;
		}
		return value;
	}

	private static Object keyOf(LockKeyed keyed) {
		@Nullable Object key = keyed.lockKey();
		if (key == null) {
			throw new IllegalArgumentException(
					"%s.lockKey() returned null. Return an identifier of the object, such as its number."
						.formatted(keyed.getClass().getTypeName()));
		}
		return key;
	}

	@SuppressWarnings("NullAway") // cannot infer type arguments that may be null
	private static List<@Nullable Object> parts(Record record) {
		return Arrays.stream(record.getClass().getRecordComponents())
			.map((component) -> read(component, record))
			.collect(Collectors.toList());
	}

	private static @Nullable Object read(RecordComponent component, Record record) {
		ReflectionUtils.makeAccessible(component.getAccessor());
		return ReflectionUtils.invokeMethod(component.getAccessor(), record);
	}

	private static String text(Object value) {
		if (!isText(value.getClass())) {
			throw new IllegalArgumentException(
					"A value of type %s cannot be a lock key: its text may be different in every JVM. %s"
						.formatted(value.getClass().getTypeName(), REMEDY));
		}
		if (value instanceof Enum<?> constant) {
			return constant.name();
		}
		return (value instanceof BigDecimal decimal) ? text(decimal) : value.toString();
	}

	private static String text(BigDecimal decimal) {
		BigDecimal stripped = decimal.stripTrailingZeros();
		return (Math.abs((long) stripped.scale()) <= MAX_ZEROS) ? stripped.toPlainString() : stripped.toString();
	}

}
