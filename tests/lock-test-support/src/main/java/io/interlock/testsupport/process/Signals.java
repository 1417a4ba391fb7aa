package io.interlock.testsupport.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * Stops processes, and lets them go on.
 *
 * @since 0.1.0
 */
public final class Signals {

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private Signals() {
	}

	/**
	 * Stop a process until it is resumed: SIGSTOP. No thread of the process runs any more
	 * when this returns, as far as the operating system tells.
	 * @param process the process, which may have ended
	 * @throws IllegalStateException if a thread of the process goes on
	 */
	public static void stop(ProcessHandle process) {
		send("STOP", process);
		awaitStopped(process);
	}

	/**
	 * Let a process go on: SIGCONT.
	 * @param process the process, which may have ended
	 */
	public static void resume(ProcessHandle process) {
		send("CONT", process);
	}

	private static void send(String signal, ProcessHandle process) {
		try {
			int status = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor();
			if (status != 0 && process.isAlive()) {
				throw new IllegalStateException("kill -%s of %s failed".formatted(signal, describe(process)));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException("kill cannot be run", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static String describe(ProcessHandle process) {
		return process.info().commandLine().orElse("process " + process.pid());
	}

	/**
	 * The signal is on its way when {@code kill} returns. The thread that receives it
	 * stops the others, which run until then, and may start more: they are looked at
	 * twice.
	 */
	private static void awaitStopped(ProcessHandle process) {
		Path tasks = Path.of("/proc", Long.toString(process.pid()), "task");
		long deadline = System.nanoTime() + TIMEOUT.toNanos();
		while (process.isAlive() && Files.isDirectory(tasks) && !(isStopped(tasks) && isStopped(tasks))) {
			if (System.nanoTime() - deadline > 0) {
				throw new IllegalStateException("%s was not stopped within %s".formatted(describe(process), TIMEOUT));
			}
			Thread.onSpinWait();
		}
	}

	private static boolean isStopped(Path tasks) {
		try (Stream<Path> threads = Files.list(tasks)) {
			return threads.allMatch((thread) -> isThreadStopped(thread.resolve("stat")));
		}
		catch (IOException | UncheckedIOException ex) {
			return false;
		}
	}

	/**
	 * The state follows the name, which is in parentheses and may contain some itself. A
	 * thread that has ended meanwhile does not run.
	 */
	private static boolean isThreadStopped(Path stat) {
		try {
			String text = Files.readString(stat);
			char state = text.charAt(text.lastIndexOf(')') + 2);
			return state == 'T' || state == 't' || state == 'Z' || state == 'X';
		}
		catch (IOException ex) {
			return true;
		}
	}

}
