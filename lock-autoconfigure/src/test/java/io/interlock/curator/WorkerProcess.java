package io.interlock.curator;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A JVM of its own that can be stopped and continued. It never outlives its test.
 */
final class WorkerProcess implements AutoCloseable {

	private final Process process;

	private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

	private final List<String> seen = new ArrayList<>();

	private WorkerProcess(Process process) {
		this.process = process;
		Thread reader = new Thread(this::readLines);
		reader.setDaemon(true);
		reader.start();
	}

	static WorkerProcess start(Class<?> main, String... arguments) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m",
						"-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), main.getName()));
		command.addAll(List.of(arguments));
		return new WorkerProcess(new ProcessBuilder(command).redirectErrorStream(true).start());
	}

	private void readLines() {
		try (BufferedReader reader = new BufferedReader(
				new InputStreamReader(this.process.getInputStream(), StandardCharsets.UTF_8))) {
			reader.lines().forEach(this.lines::add);
		}
		catch (IOException | UncheckedIOException ex) {
			// The process was ended.
		}
	}

	/**
	 * Wait for a line of output.
	 * @param start how it begins
	 * @param timeout how long to wait
	 * @return the rest of the line
	 * @throws InterruptedException if the thread is interrupted
	 */
	String await(String start, Duration timeout) throws InterruptedException {
		long deadline = System.nanoTime() + timeout.toNanos();
		while (true) {
			String line = this.lines.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
			if (line == null) {
				throw new AssertionError("No '" + start + "' within " + timeout + ", but " + this.seen);
			}
			this.seen.add(line);
			if (line.startsWith(start)) {
				return line.substring(start.length());
			}
		}
	}

	/**
	 * Stop the process, as a scheduler or a hypervisor would.
	 * @param pause how long
	 * @throws Exception if that is not possible
	 */
	void pause(Duration pause) throws Exception {
		signal("STOP");
		boolean ended = this.process.waitFor(pause.toMillis(), TimeUnit.MILLISECONDS);
		signal("CONT");
		if (ended) {
			throw new AssertionError("The process has ended: " + this.lines);
		}
	}

	private void signal(String name) throws Exception {
		Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(this.process.pid())).start();
		if (!kill.waitFor(10, TimeUnit.SECONDS) || kill.exitValue() != 0) {
			throw new IllegalStateException("kill -" + name + " failed");
		}
	}

	@Override
	public void close() {
		this.process.destroyForcibly().onExit().orTimeout(10, TimeUnit.SECONDS).join();
	}

}
