package io.interlock.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The modules of the build.
 */
final class Modules {

	/** Of the root directory, and of the directories for modules of one kind. */
	private static final int DEEPEST = 3;

	private Modules() {
	}

	/**
	 * Return the directories of all modules.
	 * @param root the root directory of the build
	 */
	static Stream<Path> in(Path root) {
		try (Stream<Path> files = Files.find(root, DEEPEST, (file, attributes) -> file.endsWith("pom.xml"))) {
			return files.map(Path::getParent).filter((module) -> !module.equals(root)).sorted().toList().stream();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
