package io.interlock.faults.cluster;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A JVM that can be stopped, resumed and killed. All of them end with this one, whatever
 * happens.
 */
public final class JavaProcess implements AutoCloseable {

	private static final Set<Process> STARTED = ConcurrentHashMap.newKeySet();

	static {
		Runtime.getRuntime().addShutdownHook(new Thread(() -> STARTED.forEach(Process::destroyForcibly)));
	}

	private final Process process;

	private JavaProcess(Process process) {
		this.process = process;
	}

	/**
	 * Start a JVM on the class path of this one.
	 * @param main the main class
	 * @param log where its error stream goes
	 * @param jvmOptions options of the JVM
	 * @param arguments arguments of the main class
	 * @return the process
	 */
	public static JavaProcess start(Class<?> main, Path log, List<String> jvmOptions, List<String> arguments) {
		List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java",
				"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"));
		command.addAll(jvmOptions);
		command.addAll(List.of("-cp", classPath(), main.getName()));
		command.addAll(arguments);
		try {
			File errors = log.toFile();
			Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(errors))
				.start();
			STARTED.add(process);
			return new JavaProcess(process);
		}
		catch (IOException ex) {
			throw new IllegalStateException("No JVM could be started for " + main, ex);
		}
	}

	private static String classPath() {
		return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
	}

	/**
	 * Return the process, for its streams.
	 * @return the process
	 */
	public Process process() {
		return this.process;
	}

	/**
	 * Freeze it: SIGSTOP.
	 */
	public void stop() {
		signal("STOP");
	}

	/**
	 * Thaw it: SIGCONT.
	 */
	public void resume() {
		signal("CONT");
	}

	private void signal(String name) {
		try {
			new ProcessBuilder("kill", "-" + name, Long.toString(this.process.pid())).start().waitFor();
		}
		catch (IOException ex) {
			throw new IllegalStateException("kill cannot be run", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Ask it to end: SIGTERM.
	 */
	public void terminate() {
		this.process.destroy();
	}

	/**
	 * End it at once: SIGKILL.
	 */
	@Override
	public void close() {
		this.process.destroyForcibly();
		try {
			this.process.waitFor(10, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		STARTED.remove(this.process);
	}

}
