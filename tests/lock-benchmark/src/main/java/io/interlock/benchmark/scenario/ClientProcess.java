package io.interlock.benchmark.scenario;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

import com.sun.management.OperatingSystemMXBean;
import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.contestant.Locks;
import io.interlock.benchmark.load.ExclusionViolation;
import io.interlock.benchmark.load.PlainExclusionCheck;
import io.interlock.testsupport.process.JavaProcess;

import static io.interlock.LockMode.EXCLUSIVE;

/**
 * A contestant in a JVM of its own, which tells the processor time of all its threads. It
 * does one thing after the other: begin it, then await its cost.
 */
final class ClientProcess implements AutoCloseable {

	private static final long STARTED_AT = System.nanoTime();

	private static final String ANSWER = "answer ";

	/** For whatever is begun: the longest takes a minute. */
	private static final Duration TIMEOUT = Duration.ofMinutes(5);

	private static final String END = "end";

	private static final String SEPARATOR = "\t";

	private final JavaProcess process;

	ClientProcess(Contestant contestant, String connectString, Site site) {
		this(contestant, connectString, site, List.of("-Xmx128m"));
	}

	ClientProcess(Contestant contestant, String connectString, Site site, List<String> jvmOptions) {
		this.process = JavaProcess.start(ClientProcess.class, site.directory().resolve("client.log"), jvmOptions,
				List.of(contestant.name(), connectString));
	}

	/**
	 * Begin to lock and unlock a free lock again and again, on one thread.
	 * @param calls how often
	 */
	void beginCalls(int calls) {
		this.process.send("calls " + calls);
	}

	/**
	 * Begin to lock and unlock another free lock again and again, as the first locks of
	 * the client.
	 * @param calls how often, more than once
	 */
	void beginFirstCalls(int calls) {
		this.process.send("first " + calls);
	}

	/**
	 * Wait for the end of the first calls.
	 * @return how long they took
	 */
	FirstCalls awaitFirstCalls() {
		String[] nanos = answer().split(" ");
		return new FirstCalls(Long.parseLong(nanos[0]), Long.parseLong(nanos[1]));
	}

	/**
	 * Begin to do nothing.
	 * @param seconds for how long
	 */
	void beginToIdle(int seconds) {
		this.process.send("idle " + seconds);
	}

	/**
	 * Wait for the end of what was begun.
	 * @return what it has cost
	 */
	Cost awaitCost() {
		String[] nanos = answer().split(" ");
		return new Cost(Long.parseLong(nanos[0]), Long.parseLong(nanos[1]));
	}

	/**
	 * Ask for the threads.
	 * @return their names, without those that every JVM has
	 */
	List<String> threads() {
		this.process.send("threads 0");
		return List.of(answer().split(SEPARATOR));
	}

	/**
	 * Hold further keys to the end.
	 * @param locks how many
	 */
	void hold(int locks) {
		this.process.send("hold " + locks);
		answer();
	}

	/**
	 * Begin to wait for further keys, which are counted as those that are held.
	 * @param locks how many
	 */
	void beginToWait(int locks) {
		this.process.send("wait " + locks);
		answer();
	}

	/**
	 * Ask for the memory and the threads.
	 * @return what the client needs
	 */
	Footprint footprint() {
		this.process.send("footprint 0");
		return Footprint.ofLine(answer());
	}

	/**
	 * Disconnect, so that nothing is held any more, and wait for it.
	 */
	void end() {
		this.process.send(END);
		answer();
	}

	private String answer() {
		return this.process.await(ANSWER, TIMEOUT);
	}

	@Override
	public void close() {
		this.process.close();
	}

	/**
	 * Run a client until its input ends.
	 * @param args contestant, connect string
	 */
	public static void main(String[] args) throws Exception {
		List<Object> kept = new ArrayList<>();
		BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		try (Locks locks = Contestant.valueOf(args[0]).connect(args[1])) {
			for (String line = commands.readLine(); line != null && !line.equals(END); line = commands.readLine()) {
				String[] command = line.split(" ");
				System.out.println(ANSWER + run(command[0], Integer.parseInt(command[1]), locks, kept));
			}
		}
		System.out.println(ANSWER);
		System.exit(0);
	}

	private static String run(String command, int count, Locks locks, List<Object> kept) throws Exception {
		return switch (command) {
			case "threads" -> otherThreads();
			case "first" -> callFirst(locks, count);
			case "footprint" -> Footprint.take().toLine();
			case "hold", "wait" -> keep(command.equals("hold"), count, locks, kept);
			default -> cost(command, count, locks);
		};
	}

	private static String keep(boolean hold, int count, Locks locks, List<Object> kept) throws Exception {
		for (int i = 0; i < count; i++) {
			String key = "kept-" + kept.size();
			kept.add(hold ? locks.hold(key) : locks.whenFree(key, () -> {
			}));
		}
		return "";
	}

	private static String cost(String command, int count, Locks locks) throws Exception {
		OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
		long startedAt = System.nanoTime();
		long before = system.getProcessCpuTime();
		if (command.equals("calls")) {
			call(locks, "own", count);
		}
		else {
			TimeUnit.SECONDS.sleep(count);
		}
		return "%d %d".formatted(system.getProcessCpuTime() - before, System.nanoTime() - startedAt);
	}

	/**
	 * No other process has used the key, so that the first lock creates all its nodes.
	 */
	private static String callFirst(Locks locks, int calls) throws Exception {
		String key = "first-" + ProcessHandle.current().pid();
		long begunAt = System.nanoTime();
		long heldAt = call(locks, key, 1);
		call(locks, key, calls - 1);
		return "%d %d".formatted(heldAt - STARTED_AT, System.nanoTime() - begunAt);
	}

	/** Return when the lock was held last. */
	private static long call(Locks locks, String key, int calls) throws Exception {
		PlainExclusionCheck check = new PlainExclusionCheck();
		AtomicLong heldAt = new AtomicLong();
		Runnable body = () -> {
			heldAt.setPlain(System.nanoTime());
			check.enter(1, EXCLUSIVE);
			check.exit(1, EXCLUSIVE);
		};
		for (int i = 0; i < calls; i++) {
			locks.exclusively(key, body);
		}
		if (check.exclusiveHolders() != calls) {
			throw new ExclusionViolation("%d holders, but %d seen".formatted(calls, check.exclusiveHolders()));
		}
		return heldAt.getPlain();
	}

	private static String otherThreads() {
		Thread self = Thread.currentThread();
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread != self && self.getThreadGroup().parentOf(thread.getThreadGroup()))
			.map(Thread::getName)
			.sorted()
			.collect(Collectors.joining(SEPARATOR));
	}

	/**
	 * What something has cost.
	 *
	 * @param cpu processor time of all threads, in nanoseconds
	 * @param elapsed how long it took, in nanoseconds
	 */
	record Cost(long cpu, long elapsed) {

	}

	/**
	 * How long the first calls of a client took, in nanoseconds.
	 *
	 * @param toFirstLock from the begin of the JVM's main method until a lock was held
	 * for the first time, the connection included
	 * @param elapsed from the begin of the first call to the end of the last one
	 */
	record FirstCalls(long toFirstLock, long elapsed) {

	}

}
