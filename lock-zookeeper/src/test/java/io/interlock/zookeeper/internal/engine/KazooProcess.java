package io.interlock.zookeeper.internal.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import org.springframework.core.io.ClassPathResource;

/**
 * A Python process that uses the lock of Kazoo.
 */
final class KazooProcess {

	static final String MISSING = "Kazoo, which comes with Debian's python3-kazoo, is not installed";

	static final String PYTHON = "/usr/bin/python3";

	private KazooProcess() {
	}

	static boolean isInstalled() {
		try {
			return run(List.of(PYTHON, "-c", "import kazoo")).isEmpty();
		}
		catch (IOException ex) {
			return false;
		}
	}

	static boolean isBefore(int major, int minor) throws IOException {
		return run(List.of(PYTHON, "-c",
				"import kazoo.version as v; assert tuple(map(int, v.__version__.split('.')[:2])) < (%d, %d)"
					.formatted(major, minor)))
			.isEmpty();
	}

	/**
	 * Increment a {@link FileCounter} under a lock, and wait until that is done.
	 * @param connectString where to connect
	 * @param path path of the lock
	 * @param directory where the counter is
	 * @param rounds how often
	 * @throws IllegalStateException if it could not be done
	 */
	static @Nullable Void count(String connectString, String path, Path directory, int rounds) throws IOException {
		String script = new ClassPathResource("kazoo_lock.py", KazooProcess.class).getFile().getPath();
		String failure = run(
				List.of(PYTHON, script, connectString, path, directory.toString(), Integer.toString(rounds)));
		if (!failure.isEmpty()) {
			throw new IllegalStateException(failure);
		}
		return null;
	}

	/**
	 * Run a command.
	 * @return empty if it ended well, or else what it printed
	 */
	private static String run(List<String> command) throws IOException {
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		try {
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			boolean ended = process.waitFor(10, TimeUnit.SECONDS);
			return (ended && process.exitValue() == 0) ? "" : "Failed: " + command + "\n" + output;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return "Interrupted";
		}
		finally {
			process.destroyForcibly();
		}
	}

}
