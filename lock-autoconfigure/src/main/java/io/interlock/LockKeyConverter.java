package io.interlock;

import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ReflectionUtils;

/**
 * Turns values into the texts of lock keys, which have to be the same in every JVM. The
 * one place that decides it, for annotated methods and for {@link LockRequest#withKey}.
 * Safe for use by many threads if its conversions are.
 * <ul>
 * <li>A text, a boolean, a {@link UUID} and what {@code java.time} has are their text, an
 * enum constant is its name, and a {@link Date} its instant.
 * <li>A number is its value without trailing zeros, so {@code 1}, {@code 1.0} and
 * {@code 1.00} are one key.
 * <li>A list is the keys of its elements, separated by commas; in these a backslash goes
 * before each comma, bracket and backslash, and a list inside a list is in brackets.
 * <li>A record is the list of its components, or its component if it has only one, and an
 * {@link Optional} is its value.
 * <li>Another object is its text, unless that is, or contains, what
 * {@link Object#toString()} returns.
 * </ul>
 * Maps, arrays, and collections other than lists are refused.
 *
 * @since 0.1.0
 */
public final class LockKeyConverter {

	static final LockKeyConverter BUILT_IN = new LockKeyConverter((value) -> null);

	/** What {@link Object#toString()} returns for an object or an array. */
	private static final Pattern IDENTITY = Pattern
		.compile("(?:[\\w$]+\\.)+[\\w$/]+;?@[0-9a-f]{1,16}(?![\\w.-])|\\[[BCDFIJSZ]@[0-9a-f]{1,8}");

	private static final Pattern SPECIAL = Pattern.compile("[,\\[\\]\\\\]");

	/** A number with more zeros than that is written with an exponent. */
	private static final int MAX_ZEROS = 100;

	private final Function<Object, @Nullable LockKeyValue> conversions;

	/**
	 * Create a converter.
	 * @param conversions knows more types, records among them, and returns {@code null}
	 * for others; not asked about texts, numbers, booleans, UUIDs, lists and optionals
	 */
	public LockKeyConverter(Function<Object, @Nullable LockKeyValue> conversions) {
		this.conversions = conversions;
	}

	/**
	 * Return the text of a key.
	 * @param key the value
	 * @return the text, which may be blank if the value is
	 * @throws IllegalArgumentException if there is no text that is the same in every JVM
	 */
	public String convert(Object key) {
		if (key instanceof String || key instanceof Long || key instanceof Integer) {
			return key.toString();
		}
		Object value = unwrap(key);
		return (value instanceof List<?> list) ? join(list) : text(value);
	}

	private String join(List<?> list) {
		return list.stream().map(this::element).collect(Collectors.joining(","));
	}

	private String element(@Nullable Object element) {
		Object value = unwrap(element);
		return (value instanceof List<?> list) ? "[" + join(list) + "]"
				: SPECIAL.matcher(text(value)).replaceAll("\\\\$0");
	}

	/**
	 * Return what counts: a list, or something that is not made of other values.
	 */
	private Object unwrap(@Nullable Object value) {
		if (value == null) {
			throw new IllegalArgumentException("A lock key must neither be null nor contain null.");
		}
		if (value instanceof Optional<?> optional) {
			return unwrap(optional.orElse(null));
		}
		if (value instanceof LockKeyValue converted) {
			return converted.value();
		}
		if (value instanceof CharSequence || value instanceof Number || value instanceof Boolean
				|| value instanceof UUID || value instanceof List<?>) {
			return value;
		}
		LockKeyValue converted = this.conversions.apply(value);
		if (converted != null) {
			return converted.value();
		}
		return (value instanceof Record record) ? unwrap(record) : value;
	}

	@SuppressWarnings("NullAway") // cannot infer type arguments that may be null
	private Object unwrap(Record record) {
		List<@Nullable Object> values = Arrays.stream(record.getClass().getRecordComponents())
			.map((component) -> read(component, record))
			.collect(Collectors.toList());
		return (values.size() == 1) ? unwrap(values.get(0)) : values;
	}

	private static @Nullable Object read(RecordComponent component, Record record) {
		ReflectionUtils.makeAccessible(component.getAccessor());
		return ReflectionUtils.invokeMethod(component.getAccessor(), record);
	}

	private static String text(Object value) {
		if (value instanceof CharSequence || value instanceof Boolean || value instanceof UUID) {
			return value.toString();
		}
		if (value instanceof Enum<?> constant) {
			return constant.name();
		}
		if (value instanceof Number number) {
			return text(number);
		}
		if (value instanceof Date date) {
			return instant(date).toString();
		}
		if (value instanceof Calendar calendar) {
			return calendar.toInstant().toString();
		}
		if (value instanceof Collection<?> || value instanceof Map<?, ?> || value.getClass().isArray()) {
			throw refused(value);
		}
		String text = value.toString();
		if (text == null || text.startsWith(value.getClass().getName() + "@") || IDENTITY.matcher(text).find()) {
			throw refused(value);
		}
		return text;
	}

	private static String text(Number number) {
		if (!(number instanceof BigDecimal || number instanceof Double || number instanceof Float)) {
			return number.toString();
		}
		if (!Double.isFinite(number.doubleValue()) && !(number instanceof BigDecimal)) {
			throw new IllegalArgumentException("%s cannot be a lock key.".formatted(number));
		}
		BigDecimal decimal = new BigDecimal(number.toString()).stripTrailingZeros();
		return (Math.abs((long) decimal.scale()) <= MAX_ZEROS) ? decimal.toPlainString() : decimal.toString();
	}

	private static Instant instant(Date date) {
		try {
			return date.toInstant();
		}
		catch (UnsupportedOperationException ex) {
			// One of java.sql without a date or without a time.
			return Instant.ofEpochMilli(date.getTime());
		}
	}

	private static IllegalArgumentException refused(Object value) {
		Class<?> type = value.getClass();
		return new IllegalArgumentException(
				("A value of type %s cannot be a lock key: its text may be different in every JVM. Use a property or a "
						+ "list of what identifies it, 'keys' for a lock on each of its elements, or a bean of type "
						+ "Converter<%s, LockKeyValue>.")
					.formatted(type.getTypeName(), type.getSimpleName()));
	}

}
