package io.interlock.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where the figures go: to the output, and to {@code target/faults}.
 */
final class Figures {

	private static final Path DIRECTORY = Path.of("target", "faults");

	private Figures() {
	}

	/**
	 * Return a directory for what processes log.
	 * @param name its name
	 * @return the directory
	 */
	static Path logs(String name) {
		try {
			return Files.createDirectories(DIRECTORY.resolve(name));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Print a table, and write it to a file.
	 * @param name name of the file, without its extension
	 * @param table the table
	 * @param details what the file has besides
	 */
	static void publish(String name, String table, String details) {
		System.out.println(table);
		try {
			Files.writeString(Files.createDirectories(DIRECTORY).resolve(name + ".md"), table + details);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
