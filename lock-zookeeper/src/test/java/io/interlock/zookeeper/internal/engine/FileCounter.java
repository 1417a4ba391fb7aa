package io.interlock.zookeeper.internal.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A counter that processes share. It fails when two count at once, and loses counts when
 * it does not notice. {@code kazoo_lock.py} does the same.
 */
final class FileCounter {

	private final Path inside;

	private final Path count;

	FileCounter(Path directory) throws IOException {
		this.inside = directory.resolve("inside");
		this.count = directory.resolve("count");
		Files.writeString(this.count, "0");
	}

	/**
	 * Count.
	 * @throws UncheckedIOException if another process or thread counts at this moment
	 */
	void increment() {
		try {
			Files.createFile(this.inside);
			Files.writeString(this.count, Integer.toString(value() + 1));
			Files.delete(this.inside);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Two count at once", ex);
		}
	}

	int value() throws IOException {
		return Integer.parseInt(Files.readString(this.count));
	}

}
