package io.interlock.zookeeper.internal.engine;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.springframework.core.io.ClassPathResource;

/**
 * A Python process that takes locks of Kazoo when it is told to.
 */
final class KazooWorker implements AutoCloseable {

	private static final Set<String> ANSWERS = Set.of("held", "refused", "released");

	private final Process process;

	private final Writer input;

	private final BlockingQueue<String> output = new LinkedBlockingQueue<>();

	/** What else it prints: why it failed, or that Kazoo connects again. */
	private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();

	private KazooWorker(Process process) {
		this.process = process;
		this.input = process.outputWriter();
		Thread reader = new Thread(this::read, "output of Kazoo");
		reader.setDaemon(true);
		reader.start();
	}

	static KazooWorker connectedTo(String connectString, Duration sessionTimeout) throws IOException {
		String script = new ClassPathResource("kazoo_worker.py", KazooWorker.class).getFile().getPath();
		return new KazooWorker(new ProcessBuilder(KazooProcess.PYTHON, script, connectString,
				Long.toString(sessionTimeout.toSeconds()))
			.redirectErrorStream(true)
			.start());
	}

	private void read() {
		try (BufferedReader lines = this.process.inputReader()) {
			lines.lines().forEach((line) -> (ANSWERS.contains(line) ? this.output : this.messages).add(line));
		}
		catch (IOException | UncheckedIOException ex) {
			// The process was killed.
		}
	}

	boolean tryAcquire(String recipe, String path, String patterns) {
		String answer = ask("try %s %s %s".formatted(recipe, path, patterns));
		if (!answer.equals("refused")) {
			expect("held", answer);
		}
		return answer.equals("held");
	}

	void acquire(String recipe, String path, String patterns) {
		beginToAcquire(recipe, path, patterns);
		awaitHeld();
	}

	void beginToAcquire(String recipe, String path, String patterns) {
		send("acquire %s %s %s".formatted(recipe, path, patterns));
	}

	void awaitHeld() {
		expect("held", answer());
	}

	/**
	 * Return whether the process has answered nothing, because it waits for a lock.
	 */
	boolean isSilent() {
		return this.output.isEmpty();
	}

	void release() {
		expect("released", ask("release"));
	}

	private static void expect(String expected, String answer) {
		if (!answer.equals(expected)) {
			throw new IllegalStateException("Kazoo said '%s' and not '%s'".formatted(answer, expected));
		}
	}

	private String ask(String command) {
		send(command);
		return answer();
	}

	private void send(String command) {
		try {
			this.input.write(command + "\n");
			this.input.flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private String answer() {
		try {
			String answer = this.output.poll(20, TimeUnit.SECONDS);
			return (answer != null) ? answer : "nothing but " + this.messages;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return "nothing";
		}
	}

	/** End the process at once: SIGKILL. */
	void kill() {
		this.process.destroyForcibly();
	}

	@Override
	public void close() {
		kill();
	}

}
