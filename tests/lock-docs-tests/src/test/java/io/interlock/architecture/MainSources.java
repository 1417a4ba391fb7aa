package io.interlock.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The main code of the modules that make up a starter: those of the locks, of ZooKeeper,
 * and of the auto-configuration.
 */
final class MainSources {

	static final List<String> MODULES = List.of("lock-core", "lock-zookeeper", "lock-autoconfigure");

	private MainSources() {
	}

	/**
	 * Return the source files, relative to the module of the tests.
	 */
	static Stream<Path> files() {
		return MODULES.stream().flatMap(MainSources::files);
	}

	static Stream<Path> files(String module) {
		return files(Path.of("..", "..", module, "src", "main", "java"));
	}

	/**
	 * Return the simple names of all top-level types.
	 */
	static Stream<String> types() {
		return files().map((file) -> file.getFileName().toString())
			.map((name) -> name.substring(0, name.length() - ".java".length()));
	}

	static Stream<Path> files(Path root) {
		try (Stream<Path> files = Files.walk(root)) {
			return files.filter((file) -> file.toString().endsWith(".java")).toList().stream();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
