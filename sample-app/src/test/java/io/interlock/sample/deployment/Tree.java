package io.interlock.sample.deployment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

import org.yaml.snakeyaml.Yaml;

/**
 * A node of a YAML document.
 *
 * @param value a map, a list, a value, or null where the document has nothing
 */
record Tree(Object value) {

	static List<Tree> documents(Path file) throws IOException {
		List<Tree> documents = new ArrayList<>();
		new Yaml().loadAll(Files.readString(file)).forEach((document) -> documents.add(new Tree(document)));
		return documents;
	}

	Tree at(String... path) {
		Object value = this.value;
		for (String field : path) {
			value = (value instanceof Map<?, ?> map) ? map.get(field) : null;
		}
		return new Tree(value);
	}

	boolean exists() {
		return this.value != null;
	}

	String text() {
		return String.valueOf(this.value);
	}

	List<Tree> items() {
		return (this.value instanceof Collection<?> items) ? items.stream().map((item) -> new Tree(item)).toList()
				: List.of();
	}

	List<String> texts() {
		return items().stream().map(Tree::text).toList();
	}

	Set<String> fields() {
		Set<String> fields = new TreeSet<>();
		if (this.value instanceof Map<?, ?> map) {
			map.keySet().forEach((field) -> fields.add(field.toString()));
		}
		return fields;
	}

	Optional<Tree> named(String name) {
		return items().stream().filter((item) -> item.at("name").text().equals(name)).findFirst();
	}

}
