package io.interlock.testsupport.process;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.springframework.util.FileSystemUtils;

/**
 * What is around a process that is started. Immutable.
 *
 * @param prefix a command that runs the one behind it in place of itself, {@code setpriv}
 * for instance; empty for none
 * @param environment variables that are added to those of this process
 * @param classPath the class path
 * @since 0.1.0
 */
public record Surroundings(List<String> prefix, Map<String, String> environment, String classPath) {

	/**
	 * Create surroundings.
	 * @param prefix a command, or nothing
	 * @param environment variables
	 * @param classPath the class path
	 */
	public Surroundings {
		prefix = List.copyOf(prefix);
		environment = Map.copyOf(environment);
	}

	/**
	 * Return the surroundings of this process.
	 * @return the surroundings
	 */
	public static Surroundings usual() {
		return new Surroundings(List.of(), Map.of(),
				System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
	}

	/**
	 * Return these surroundings with a command in front.
	 * @param prefix the command and its arguments
	 * @return the surroundings
	 */
	public Surroundings withPrefix(String... prefix) {
		return new Surroundings(List.of(prefix), this.environment, this.classPath);
	}

	/**
	 * Return these surroundings with other variables.
	 * @param environment the variables
	 * @return the surroundings
	 */
	public Surroundings withEnvironment(Map<String, String> environment) {
		return new Surroundings(this.prefix, environment, this.classPath);
	}

	/**
	 * Return these surroundings with another class path.
	 * @param classPath the class path
	 * @return the surroundings
	 */
	public Surroundings withClassPath(String classPath) {
		return new Surroundings(this.prefix, this.environment, classPath);
	}

	/**
	 * Copy the class path to where another user can read it: a local repository of Maven
	 * usually lies in a home directory.
	 * @param directory an empty directory that every user can read
	 * @return the surroundings, with the copy as class path
	 */
	public Surroundings withClassPathCopiedTo(Path directory) {
		List<String> copies = new ArrayList<>();
		for (String entry : this.classPath.split(File.pathSeparator)) {
			Path original = Path.of(entry);
			Path copy = directory.resolve(copies.size() + "-" + original.getFileName());
			try {
				if (Files.isDirectory(original)) {
					FileSystemUtils.copyRecursively(original, copy);
				}
				else if (Files.exists(original)) {
					Files.copy(original, copy);
				}
			}
			catch (IOException ex) {
				throw new UncheckedIOException("The class path cannot be copied", ex);
			}
			copies.add(copy.toString());
		}
		return new Surroundings(this.prefix, this.environment, String.join(File.pathSeparator, copies));
	}

}
