package io.interlock.architecture;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.json.JsonParserFactory;
import org.springframework.util.ClassUtils;

/**
 * A configuration property as the generated metadata describes it.
 *
 * @param name name of the property
 * @param defaultValue its default, empty if there is none
 * @param description its description, empty if there is none
 */
record PropertyMetadata(String name, String defaultValue, String description) {

	static List<PropertyMetadata> all() throws IOException {
		return properties().map(PropertyMetadata::of).toList();
	}

	/**
	 * Return the values of all properties that have a closed list of them, and of the
	 * store, which an application can add one to, by name.
	 */
	static Map<String, List<String>> values() throws IOException {
		Map<String, List<String>> values = new TreeMap<>();
		for (Map<?, ?> property : properties().toList()) {
			String type = text(property.get("type"));
			if (type.startsWith("io.interlock.") && loaded(type).isEnum()) {
				values.put(text(property.get("name")),
						Stream.of(loaded(type).getEnumConstants())
							.map((value) -> ((Enum<?>) value).name().toLowerCase(Locale.ROOT).replace('_', '-'))
							.toList());
			}
		}
		values.put("interlock.provider", hinted("interlock.provider"));
		return values;
	}

	/**
	 * Return the values that an IDE offers for a property.
	 */
	static List<String> hinted(String name) throws IOException {
		return read("hints").filter((hint) -> name.equals(hint.get("name")))
			.flatMap((hint) -> ((List<?>) Objects.requireNonNull(hint.get("values"))).stream())
			.map((value) -> text(((Map<?, ?>) value).get("value")))
			.toList();
	}

	private static Class<?> loaded(String type) {
		return ClassUtils.resolveClassName(type, null);
	}

	private static Stream<Map<?, ?>> properties() throws IOException {
		return read("properties");
	}

	private static Stream<Map<?, ?>> read(String group) throws IOException {
		String json = MainOutput.read("META-INF/spring-configuration-metadata.json");
		List<?> members = (List<?>) JsonParserFactory.getJsonParser().parseMap(json).get(group);
		return Objects.requireNonNull(members).stream().map((member) -> (Map<?, ?>) member);
	}

	private static PropertyMetadata of(Map<?, ?> property) {
		return new PropertyMetadata(text(property.get("name")), text(property.get("defaultValue")),
				text(property.get("description")));
	}

	private static String text(@Nullable Object value) {
		return (value != null) ? value.toString() : "";
	}

}
