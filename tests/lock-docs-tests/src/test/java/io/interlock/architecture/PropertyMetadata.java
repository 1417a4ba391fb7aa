package io.interlock.architecture;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.json.JsonParserFactory;

/**
 * A configuration property as the generated metadata describes it.
 *
 * @param name name of the property
 * @param defaultValue its default, empty if there is none
 * @param description its description, empty if there is none
 */
record PropertyMetadata(String name, String defaultValue, String description) {

	static List<PropertyMetadata> all() throws IOException {
		String json = MainOutput.read("META-INF/spring-configuration-metadata.json");
		List<?> properties = (List<?>) JsonParserFactory.getJsonParser().parseMap(json).get("properties");
		return Objects.requireNonNull(properties).stream().map((property) -> of((Map<?, ?>) property)).toList();
	}

	private static PropertyMetadata of(Map<?, ?> property) {
		return new PropertyMetadata(text(property.get("name")), text(property.get("defaultValue")),
				text(property.get("description")));
	}

	private static String text(@Nullable Object value) {
		return (value != null) ? value.toString() : "";
	}

}
