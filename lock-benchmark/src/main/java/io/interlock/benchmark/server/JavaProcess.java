package io.interlock.benchmark.server;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A JVM on the class path of this one. It ends with this one, because it watches its
 * standard input.
 *
 * @since 0.1.0
 */
public final class JavaProcess implements AutoCloseable {

	private final Process process;

	private JavaProcess(Process process) {
		this.process = process;
	}

	/**
	 * Start a JVM whose main class calls {@link #endWithParent} or reads its input to the
	 * end.
	 * @param main the main class
	 * @param log where its error stream goes
	 * @param jvmOptions options of the JVM
	 * @param arguments arguments of the main class
	 * @return the process
	 */
	public static JavaProcess start(Class<?> main, Path log, List<String> jvmOptions, List<String> arguments) {
		List<String> command = new ArrayList<>();
		command.add(System.getProperty("java.home") + "/bin/java");
		command.addAll(jvmOptions);
		command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
		command.addAll(arguments);
		File errors = log.toFile();
		try {
			return new JavaProcess(
					new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(errors)).start());
		}
		catch (IOException ex) {
			throw new UncheckedIOException("No JVM could be started for " + main, ex);
		}
	}

	/**
	 * End this JVM as soon as its standard input ends.
	 */
	public static void endWithParent() {
		Thread thread = new Thread(() -> {
			try {
				System.in.transferTo(OutputStream.nullOutputStream());
			}
			catch (IOException ex) {
				// The parent is gone.
			}
			Runtime.getRuntime().halt(1);
		}, "parent");
		thread.setDaemon(true);
		thread.start();
	}

	/**
	 * Return the process, for its streams.
	 * @return the process
	 */
	public Process process() {
		return this.process;
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
		try {
			this.process.waitFor(10, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
