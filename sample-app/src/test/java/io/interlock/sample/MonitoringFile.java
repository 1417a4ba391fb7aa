package io.interlock.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.yaml.snakeyaml.Yaml;

/**
 * What the pages offer for Prometheus and Grafana.
 */
final class MonitoringFile {

	private MonitoringFile() {
	}

	static Path path(String file) {
		return Path.of("..", "docs", "monitoring", file).toAbsolutePath().normalize();
	}

	static String queries(String file) throws IOException {
		return values(load(file), "expr").collect(Collectors.joining("\n"));
	}

	static Object load(String file) throws IOException {
		// JSON is YAML
		return new Yaml().load(Files.readString(path(file)));
	}

	static Stream<String> values(Object node, String field) {
		if (node instanceof Map<?, ?> map) {
			return map.entrySet()
				.stream()
				.flatMap((entry) -> (entry.getKey().equals(field) && entry.getValue() instanceof String text)
						? Stream.of(text) : values(entry.getValue(), field));
		}
		return (node instanceof List<?> list) ? list.stream().flatMap((item) -> values(item, field)) : Stream.empty();
	}

}
