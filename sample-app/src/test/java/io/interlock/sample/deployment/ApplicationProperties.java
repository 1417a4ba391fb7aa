package io.interlock.sample.deployment;

import java.io.IOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

import org.springframework.boot.json.JsonParserFactory;

/**
 * The properties that the sample can be given, from the configuration metadata on its
 * class path.
 *
 * @param plain names in the form of environment variables
 * @param prefixes the same of maps, up to the key
 */
record ApplicationProperties(List<String> plain, List<String> prefixes) {

	static ApplicationProperties load() throws IOException {
		List<String> plain = new ArrayList<>();
		List<String> prefixes = new ArrayList<>();
		for (String file : List.of("META-INF/spring-configuration-metadata.json",
				"META-INF/additional-spring-configuration-metadata.json")) {
			for (URL url : Collections.list(ApplicationProperties.class.getClassLoader().getResources(file))) {
				try (var stream = url.openStream()) {
					String json = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
					Tree metadata = new Tree(JsonParserFactory.getJsonParser().parseMap(json));
					metadata.at("properties").items().forEach((property) -> {
						String variable = property.at("name")
							.text()
							.replace("-", "")
							.replace('.', '_')
							.toUpperCase(Locale.ROOT);
						if (property.at("type").text().startsWith("java.util.Map<")) {
							prefixes.add(variable + "_");
						}
						plain.add(variable);
					});
				}
			}
		}
		return new ApplicationProperties(plain, prefixes);
	}

	boolean binds(String variable) {
		return this.plain.contains(variable) || this.prefixes.stream().anyMatch(variable::startsWith);
	}

}
