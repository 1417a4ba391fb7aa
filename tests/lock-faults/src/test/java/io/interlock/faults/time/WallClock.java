package io.interlock.faults.time;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;

/**
 * The wall clock of one process, which is set while the process runs. Its monotonic clock
 * is that of the machine. This is Debian's {@code libfaketime}.
 */
public final class WallClock {

	/**
	 * Name of the variable with the libraries that come first.
	 */
	public static final String PRELOADED = "LD_PRELOAD";

	private static final Path LIBRARY = Path.of("/usr/lib",
			System.getProperty("os.arch").equals("aarch64") ? "aarch64-linux-gnu" : "x86_64-linux-gnu",
			"faketime/libfaketimeMT.so.1");

	private final Path file;

	/**
	 * Create a clock that shows the true time.
	 * @param directory where its file is kept
	 */
	public WallClock(Path directory) throws IOException {
		this.file = directory.resolve("clock").toAbsolutePath();
		set(Duration.ZERO);
	}

	public static boolean isAvailable() {
		return Files.isReadable(LIBRARY);
	}

	public static String missing() {
		return "The wall clock of a process cannot be set: install the package libfaketime, which has " + LIBRARY;
	}

	/**
	 * Return the environment of a process with this clock. The library takes every timed
	 * wait for one by the wall clock unless it is told that the system knows monotonic
	 * ones, and waits would end at once.
	 */
	public Map<String, String> environment() {
		return Map.of(PRELOADED, LIBRARY.toString(), "FAKETIME_TIMESTAMP_FILE", this.file.toString(),
				"FAKETIME_NO_CACHE", "1", "FAKETIME_DONT_FAKE_MONOTONIC", "1", "FAKETIME_FORCE_MONOTONIC_FIX", "0");
	}

	/**
	 * Set the clock, from one reading to the next.
	 * @param ahead by how much it is ahead of the true time from now on
	 */
	public void set(Duration ahead) throws IOException {
		Path next = this.file.resolveSibling("next");
		Files.writeString(next, "%+d%n".formatted(ahead.toSeconds()));
		Files.move(next, this.file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
	}

	/**
	 * Delete what the library leaves in shared memory when a process is killed: a later
	 * process with the same number would fail.
	 * @param pid number of a process that has ended
	 */
	public static void cleanUpAfter(long pid) {
		try {
			Files.deleteIfExists(Path.of("/dev/shm/faketime_shm_" + pid));
			Files.deleteIfExists(Path.of("/dev/shm/sem.faketime_sem_" + pid));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
