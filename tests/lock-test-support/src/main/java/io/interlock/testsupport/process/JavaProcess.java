package io.interlock.testsupport.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * A JVM on the class path of this one that can be talked to line by line, paused and
 * ended. It ends with this JVM: a shutdown hook kills it, and a main class that calls
 * {@link #endWithParent()} notices even when this JVM is killed. Safe for use by many
 * threads.
 *
 * @since 0.1.0
 */
public final class JavaProcess implements AutoCloseable {

	private static final int MAX_UNREAD_LINES = 1000;

	private static final int MAX_SHOWN_LINES = 30;

	private static final Duration END_TIMEOUT = Duration.ofSeconds(10);

	private static final Set<Process> STARTED = ConcurrentHashMap.newKeySet();

	static {
		Runtime.getRuntime().addShutdownHook(new Thread(() -> STARTED.forEach(Process::destroyForcibly)));
	}

	private final Process process;

	private final String name;

	private final @Nullable Path log;

	private final Writer input;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	private final Deque<String> unread = new ArrayDeque<>();

	private final Deque<String> seen = new ArrayDeque<>();

	private boolean outputEnded;

	/** Answers that are still to come, that of the current question included. */
	private int answersDue;

	private JavaProcess(Process process, String name, @Nullable Path log) {
		this.process = process;
		this.name = name;
		this.log = log;
		this.input = process.outputWriter(StandardCharsets.UTF_8);
		Thread reader = new Thread(this::readOutput, "output of " + name);
		reader.setDaemon(true);
		reader.start();
	}

	/**
	 * Start a JVM.
	 * @param main the main class
	 * @param log file to which its error stream is appended, or {@code null} to mix that
	 * stream into its output
	 * @param jvmOptions options of the JVM, {@link #quickStart(String)} for instance
	 * @param arguments arguments of the main class
	 * @return the process
	 */
	public static JavaProcess start(Class<?> main, @Nullable Path log, List<String> jvmOptions,
			List<String> arguments) {
		return start(main, log, jvmOptions, arguments, Surroundings.usual());
	}

	/**
	 * Start a JVM that runs as another user, with another class path, clock or limits.
	 * @param main the main class
	 * @param log file to which its error stream is appended, or {@code null} to mix that
	 * stream into its output
	 * @param jvmOptions options of the JVM, {@link #quickStart(String)} for instance
	 * @param arguments arguments of the main class
	 * @param surroundings what is different around it
	 * @return the process
	 */
	public static JavaProcess start(Class<?> main, @Nullable Path log, List<String> jvmOptions, List<String> arguments,
			Surroundings surroundings) {
		List<String> command = new ArrayList<>(surroundings.prefix());
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.add("-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"));
		command.addAll(jvmOptions);
		command.addAll(List.of("-cp", surroundings.classPath(), main.getName()));
		command.addAll(arguments);
		ProcessBuilder builder = new ProcessBuilder(command);
		builder.environment().putAll(surroundings.environment());
		if (log != null) {
			builder.redirectError(Redirect.appendTo(log.toFile()));
		}
		else {
			builder.redirectErrorStream(true);
		}
		try {
			Process process = builder.start();
			STARTED.add(process);
			return new JavaProcess(process, main.getSimpleName(), log);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("No JVM could be started for " + main, ex);
		}
	}

	/**
	 * Return JVM options for a process that starts fast and takes little memory. Leave
	 * them out where speed is measured.
	 * @param heap its heap, as {@code -Xmx} takes it
	 * @return the options
	 */
	public static List<String> quickStart(String heap) {
		return List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xmx" + heap);
	}

	/**
	 * End the JVM that calls this as soon as its standard input ends, which happens when
	 * the JVM that started it ends. Reads all input from now on.
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

	private void readOutput() {
		try (BufferedReader output = this.process.inputReader(StandardCharsets.UTF_8)) {
			for (String line = output.readLine(); line != null; line = output.readLine()) {
				add(line);
			}
		}
		catch (IOException ex) {
			// The process was ended.
		}
		this.lock.lock();
		try {
			this.outputEnded = true;
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	private void add(String line) {
		this.lock.lock();
		try {
			if (this.unread.size() == MAX_UNREAD_LINES) {
				this.unread.remove();
			}
			this.unread.add(line);
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Wait for a line of output. Lines before it are skipped.
	 * @param start how the line begins
	 * @param timeout how long to wait
	 * @return the rest of the line
	 * @throws IllegalStateException if no such line comes in time, or none can come any
	 * more
	 */
	public String await(String start, Duration timeout) {
		long deadline = System.nanoTime() + timeout.toNanos();
		this.lock.lock();
		try {
			for (String line = nextLine(deadline); line != null; line = nextLine(deadline)) {
				if (line.startsWith(start)) {
					return line.substring(start.length());
				}
			}
			throw new IllegalStateException("%s said no '%s' %s, but %s; its errors are in %s".formatted(this.name,
					start, this.outputEnded ? "before it ended" : "within " + timeout, this.seen,
					(this.log != null) ? this.log : "its output"));
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Send a line to a process that answers each one with a line, and wait for the
	 * answer. An answer that comes too late is not taken for that of the next line.
	 * @param line the line
	 * @param timeout how long to wait
	 * @return the answer, empty if none came
	 */
	public synchronized String ask(String line, Duration timeout) {
		long deadline = System.nanoTime() + timeout.toNanos();
		try {
			send(line);
		}
		catch (UncheckedIOException ex) {
			return "";
		}
		this.lock.lock();
		try {
			this.answersDue++;
			for (String answer = nextLine(deadline); answer != null; answer = nextLine(deadline)) {
				this.answersDue--;
				if (this.answersDue == 0) {
					return answer;
				}
			}
			return "";
		}
		finally {
			this.lock.unlock();
		}
	}

	private @Nullable String nextLine(long deadline) {
		try {
			while (this.unread.isEmpty()) {
				long left = deadline - System.nanoTime();
				if (this.outputEnded || left <= 0) {
					return null;
				}
				this.changed.awaitNanos(left);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return null;
		}
		String line = this.unread.remove();
		if (this.seen.size() == MAX_SHOWN_LINES) {
			this.seen.remove();
		}
		this.seen.add(line);
		return line;
	}

	/**
	 * Send a line.
	 * @param line the line
	 * @throws UncheckedIOException if the process reads no more
	 */
	public void send(String line) {
		synchronized (this.input) {
			try {
				this.input.write(line + "\n");
				this.input.flush();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(this.name + " reads no more", ex);
			}
		}
	}

	/**
	 * Return the number of the process.
	 * @return its id in the operating system
	 */
	public long pid() {
		return this.process.pid();
	}

	/**
	 * Return whether the process runs.
	 * @return {@code true} also while it is paused
	 */
	public boolean isAlive() {
		return this.process.isAlive();
	}

	/**
	 * Stop the process until it is resumed: SIGSTOP. No thread of the process runs any
	 * more when this returns, as far as the operating system tells.
	 * @throws IllegalStateException if a thread of the process goes on
	 */
	public void stop() {
		Signals.stop(this.process.toHandle());
	}

	/**
	 * Let the process go on: SIGCONT.
	 */
	public void resume() {
		Signals.resume(this.process.toHandle());
	}

	/**
	 * Stop the process for a time, as a scheduler or a hypervisor would.
	 * @param duration how long
	 * @throws InterruptedException if the thread is interrupted meanwhile
	 * @throws IllegalStateException if the process has ended
	 */
	public void pause(Duration duration) throws InterruptedException {
		stop();
		boolean ended = this.process.waitFor(duration.toMillis(), TimeUnit.MILLISECONDS);
		resume();
		if (ended) {
			throw new IllegalStateException(this.name + " has ended, having said " + this.unread);
		}
	}

	/**
	 * Ask the process to end: SIGTERM.
	 */
	public void terminate() {
		this.process.destroy();
	}

	/**
	 * End the process at once: SIGKILL.
	 */
	@Override
	public void close() {
		this.process.destroyForcibly();
		try {
			this.process.waitFor(END_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		STARTED.remove(this.process);
	}

}
