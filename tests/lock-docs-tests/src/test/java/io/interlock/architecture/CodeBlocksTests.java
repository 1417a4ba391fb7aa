package io.interlock.architecture;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.interlock.autoconfigure.InterlockProperties;
import io.interlock.autoconfigure.zookeeper.ZooKeeperProperties;
import io.interlock.redis.autoconfigure.RedisLockProperties;
import org.junit.jupiter.api.Test;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Code on pages cannot rot: what is Java stands in a source that is compiled, and what is
 * a property of Interlock can be bound.
 */
class CodeBlocksTests {

	private static final Path PROJECT = Path.of("..", "..");

	private static final Pattern BLOCK = Pattern.compile("(?ms)^ *```(java|properties|ya?ml)\n(.*?)^ *```");

	/**
	 * An annotation of lock4j, which is shown as what to migrate from and is no
	 * dependency.
	 */
	private static final String FOREIGN = "@Lock4j";

	@Test
	void javaIsCompiled() {
		String sources = sources();
		List<String> paragraphs = blocks("java").filter((block) -> !block.contains(FOREIGN))
			.flatMap((block) -> Arrays.stream(block.split("\n\\s*\n")))
			.map(CodeBlocksTests::normalized)
			.filter((paragraph) -> !paragraph.isEmpty())
			.toList();
		assertThat(paragraphs).hasSizeGreaterThan(90).allMatch(sources::contains);
	}

	@Test
	void propertiesAreBound() {
		Map<String, Map<String, String>> groups = new HashMap<>();
		blocks("properties").map(CodeBlocksTests::properties)
			.forEach((properties) -> properties.stringPropertyNames()
				.stream()
				.filter((name) -> name.startsWith("interlock."))
				.forEach((name) -> groups.computeIfAbsent(group(name), (group) -> new HashMap<>())
					.put(name, properties.getProperty(name))));
		assertThat(groups.get("interlock.zookeeper")).hasSizeGreaterThan(4);
		Map<String, Class<?>> types = new HashMap<>();
		types.put("interlock", InterlockProperties.class);
		types.put("interlock.redis", RedisLockProperties.class);
		types.put("interlock.zookeeper", ZooKeeperProperties.class);
		Stream.of(InterlockProperties.class.getDeclaredClasses())
			.filter((type) -> type.isAnnotationPresent(ConfigurationProperties.class))
			.forEach((type) -> types.put(type.getAnnotation(ConfigurationProperties.class).prefix(), type));
		assertThat(types).containsKeys(groups.keySet().toArray(String[]::new));
		groups.forEach((group, properties) -> bind(properties, group, types.get(group)));
	}

	private static String group(String name) {
		List<String> elements = List.of(name.split("[.\\[]"));
		return String.join(".", elements.subList(0, Math.min(2, elements.size() - 1)));
	}

	@Test
	void yamlIsNotUsedOnPages() {
		assertThat(Stream.concat(blocks("yaml"), blocks("yml"))).isEmpty();
	}

	private static void bind(Map<String, String> properties, String prefix, Class<?> type) {
		Binder binder = new Binder(new MapConfigurationPropertySource(properties));
		if (!properties.isEmpty()) {
			assertThat(binder
				.bind(prefix, Bindable.of(type),
						new NoUnboundElementsBindHandler(BindHandler.DEFAULT, (source) -> true))
				.isBound()).isTrue();
		}
	}

	private static Properties properties(String block) {
		Properties properties = new Properties();
		try {
			properties.load(new StringReader(block));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return properties;
	}

	private static Stream<String> blocks(String language) {
		return Page.all()
			.stream()
			.flatMap((page) -> BLOCK.matcher(page.text()).results())
			.filter((block) -> block.group(1).equals(language))
			.map((block) -> block.group(2));
	}

	private static String sources() {
		return Modules.in(PROJECT)
			.map((module) -> module.resolve("src"))
			.filter(Files::isDirectory)
			.map(CodeBlocksTests::sourcesOf)
			.collect(Collectors.joining("\n"));
	}

	private static String sourcesOf(Path directory) {
		try (Stream<Path> files = Files.walk(directory)) {
			return files.filter((file) -> file.toString().endsWith(".java"))
				.map(CodeBlocksTests::text)
				.map(CodeBlocksTests::normalized)
				.collect(Collectors.joining("\n"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String text(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the code without comments, and without what the formatter and a surrounding
	 * class change.
	 */
	private static String normalized(String source) {
		return source.replace("static class ", "class ").replaceAll("(?m)^\\s*//.*$", "").replaceAll("\\s+", "");
	}

}
