package io.interlock.benchmark.start;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import io.interlock.testsupport.process.JavaProcess;
import io.interlock.testsupport.process.Surroundings;

/**
 * The {@link StartApplication} in a new JVM, ready to be asked.
 *
 * @since 0.1.0
 */
public final class StartedApplication implements AutoCloseable {

	private static final Duration TIMEOUT = Duration.ofMinutes(2);

	private final JavaProcess process;

	private final Startup startup;

	private StartedApplication(JavaProcess process, long startedAt) {
		this.process = process;
		String[] figures = process.await(StartApplication.READY, TIMEOUT).split(StartApplication.SEPARATOR);
		this.startup = new Startup(System.nanoTime() - startedAt, Long.parseLong(figures[0]),
				Long.parseLong(figures[1]), Long.parseLong(figures[2]));
	}

	/**
	 * Start an application and wait until it is ready.
	 * @param classPath its jars
	 * @param jvmOptions options of its JVM
	 * @param properties its properties, as arguments
	 * @param log file to which its error stream is appended
	 * @return the application
	 */
	public static StartedApplication start(ClassPath classPath, List<String> jvmOptions, List<String> properties,
			Path log) {
		long startedAt = System.nanoTime();
		JavaProcess process = JavaProcess.start(StartApplication.class, log, jvmOptions, properties,
				Surroundings.usual().withClassPath(classPath.argument()));
		try {
			return new StartedApplication(process, startedAt);
		}
		catch (RuntimeException ex) {
			process.close();
			throw ex;
		}
	}

	/**
	 * Return what the start took.
	 * @return the figures
	 */
	public Startup startup() {
		return this.startup;
	}

	/**
	 * Call the annotated method.
	 * @return how long that took, and whether it was locked
	 */
	public Call call() {
		String[] answer = ask(StartApplication.CALL).split(StartApplication.SEPARATOR);
		return new Call(Boolean.parseBoolean(answer[0]), Long.parseLong(answer[1]));
	}

	/**
	 * Ask for the threads.
	 * @return their names, without those that every JVM has
	 */
	public List<String> threads() {
		return Arrays.stream(ask(StartApplication.THREADS).split(StartApplication.SEPARATOR))
			.filter((name) -> !name.isEmpty())
			.toList();
	}

	private String ask(String command) {
		this.process.send(command);
		return this.process.await(StartApplication.ANSWER, TIMEOUT);
	}

	@Override
	public void close() {
		this.process.close();
	}

	/**
	 * What a start took, times in nanoseconds.
	 *
	 * @param process from the start of the process until it was ready
	 * @param application the time that Spring Boot measured until it was ready
	 * @param cpu processor time of the process until it was ready
	 * @param classes classes loaded until it was ready
	 */
	public record Startup(long process, long application, long cpu, long classes) {

	}

	/**
	 * A call of the annotated method.
	 *
	 * @param intercepted whether its bean has a proxy
	 * @param nanos how long it took
	 */
	public record Call(boolean intercepted, long nanos) {

	}

}
