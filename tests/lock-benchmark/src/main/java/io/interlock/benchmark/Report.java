package io.interlock.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Prints what comes out and keeps it in a file, so that a run that is broken off has told
 * what it found.
 */
final class Report {

	private final Path file;

	Report(Path file) throws IOException {
		this.file = file;
		Files.createDirectories(file.toAbsolutePath().getParent());
		Files.deleteIfExists(file);
	}

	void add(String text) throws IOException {
		System.out.println(text);
		Files.writeString(this.file, text + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
	}

}
