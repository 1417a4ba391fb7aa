package io.interlock.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The main code of the modules that make up a starter: those of the locks, of ZooKeeper,
 * and of the auto-configuration.
 */
final class MainSources {

	private MainSources() {
	}

	/**
	 * Return the source files, relative to the module of the tests.
	 */
	static Stream<Path> files() {
		return Stream.of("lock-core", "lock-zookeeper", "lock-autoconfigure")
			.map((module) -> Path.of("..", module, "src", "main", "java"))
			.flatMap(MainSources::files);
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
