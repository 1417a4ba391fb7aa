package io.interlock.actuate.endpoint;

import org.jspecify.annotations.Nullable;

import org.springframework.core.convert.ConversionException;
import org.springframework.core.convert.support.DefaultConversionService;
import org.springframework.util.Assert;

/**
 * Reads parameters of requests. Actuator answers a value that it cannot convert with a
 * status alone, so it is given texts only. The methods throw
 * {@link IllegalArgumentException} with the name of the parameter.
 */
final class RequestParameter {

	private RequestParameter() {
	}

	static @Nullable Integer number(String name, @Nullable String text) {
		return convert(name, text, Integer.class, "a number");
	}

	static @Nullable Boolean flag(String name, @Nullable String text) {
		return convert(name, text, Boolean.class, "true or false");
	}

	static long token(@Nullable String text) {
		Long token = convert("token", text, Long.class, "a number");
		Assert.notNull(token, "'token' must be that of a holder or waiter, as the view shows it");
		return token;
	}

	/** Refuse a parameter of another operation, instead of ignoring it. */
	static void refuse(String name, @Nullable String text, String remedy) {
		Assert.isTrue(text == null, () -> "'%s' has no meaning here: nothing was done. %s".formatted(name, remedy));
	}

	private static <T> @Nullable T convert(String name, @Nullable String text, Class<T> type, String description) {
		try {
			return DefaultConversionService.getSharedInstance().convert(text, type);
		}
		catch (ConversionException ex) {
			throw new IllegalArgumentException("'%s' must be %s: '%s'".formatted(name, description, text), ex);
		}
	}

}
