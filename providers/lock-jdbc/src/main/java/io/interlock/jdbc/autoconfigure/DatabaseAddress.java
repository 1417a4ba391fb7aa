package io.interlock.jdbc.autoconfigure;

import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.util.ClassUtils;

/**
 * Tells where a database is, without what a URL may say of its users.
 */
final class DatabaseAddress {

	private static final Pattern CREDENTIALS = Pattern.compile("(//|:thin:)[^?;]*@");

	private static final Pattern PARAMETERS = Pattern.compile("[?;].*", Pattern.DOTALL);

	private DatabaseAddress() {
	}

	static String of(String url) {
		return PARAMETERS.matcher(CREDENTIALS.matcher(url).replaceFirst("$1")).replaceFirst("");
	}

	/**
	 * Return the address that a pool is configured with. It is known while there is no
	 * connection.
	 */
	static String configured(DataSource dataSource) {
		String url = url(dataSource);
		return (url != null) ? of(url) : ClassUtils.getShortName(dataSource.getClass());
	}

	/**
	 * Return the URL that a pool is configured with, or {@code null} if it is not known.
	 */
	static @Nullable String url(DataSource dataSource) {
		BeanWrapper pool = PropertyAccessorFactory.forBeanPropertyAccess(dataSource);
		return List.of("jdbcUrl", "url")
			.stream()
			.filter(pool::isReadableProperty)
			.map((name) -> url(pool, name))
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

	private static @Nullable String url(BeanWrapper pool, String property) {
		try {
			return (pool.getPropertyValue(property) instanceof String url) ? url : null;
		}
		catch (RuntimeException ex) {
			return null;
		}
	}

}
