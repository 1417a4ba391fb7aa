package io.interlock.faults.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import io.interlock.faults.time.Lapse;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.zookeeper.ZooKeeper;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * A JVM that uses locks. It is told what to do on its standard input, a line at a time,
 * answers each with a line, and ends with its input.
 */
public final class Worker {

	/**
	 * How often a fresh JVM asks for a lock before its answers count.
	 */
	private static final int WARM_UP_ATTEMPTS = 200;

	private final Arguments arguments;

	private final HiccupMeter hiccups = new HiccupMeter();

	private final AtomicInteger generation = new AtomicInteger();

	private final List<Actor> actors = new ArrayList<>();

	private final List<Thread> threads = new ArrayList<>();

	private final Report connectionReport;

	private volatile Client client;

	private volatile boolean working = true;

	private volatile long listenerBlockMillis;

	private Worker(Arguments arguments) {
		this.arguments = arguments;
		this.connectionReport = new Report(arguments.witnessPort());
		this.client = connect();
	}

	public static void main(String[] args) throws IOException {
		Arguments arguments = Arguments.parse(args);
		if (arguments.fleet().isInterlock()) {
			warmUp(arguments);
		}
		Worker worker = new Worker(arguments);
		worker.start();
		worker.obey();
		Runtime.getRuntime().halt(0);
	}

	/**
	 * Load and compile what answers at a deadline. Four JVMs that start at once on two
	 * processors give a first call up to 345 ms, of which the calling thread has waited
	 * 190 ms for a processor: that would be the class loader under test.
	 */
	private static void warmUp(Arguments arguments) {
		Locks nowhere = arguments.fleet()
			.connect(arguments.connectString().replaceAll(":\\d+", ":1"), arguments.sessionTimeout());
		for (int i = 0; i < WARM_UP_ATTEMPTS; i++) {
			nowhere.acquire("warm-up", false, Duration.ofMillis(1));
		}
		nowhere.close();
	}

	private Client connect() {
		Locks locks = this.arguments.fleet().connect(this.arguments.connectString(), this.arguments.sessionTimeout());
		Client connected = new Client(this.arguments.name() + "." + this.generation.incrementAndGet(), locks);
		CuratorFramework client = locks.client();
		if (client != null) {
			client.getConnectionStateListenable()
				.addListener((framework, state) -> stateChanged(connected.instance(), framework, state));
		}
		return connected;
	}

	/**
	 * Another listener of the application, which may call ZooKeeper and wait.
	 */
	private void stateChanged(String instance, CuratorFramework framework, ConnectionState state) {
		synchronized (this.connectionReport) {
			this.connectionReport.speaksFor(instance);
			this.connectionReport.connection(state, System.nanoTime());
		}
		if (state != ConnectionState.SUSPENDED) {
			return;
		}
		long block = this.listenerBlockMillis;
		this.listenerBlockMillis = 0;
		if (block > 0) {
			try {
				framework.checkExists().forPath("/");
				Lapse.of(Duration.ofMillis(block));
			}
			catch (Exception ex) {
				// It has blocked, and that is all it is for.
			}
		}
	}

	private void start() {
		for (Workload workload : Workload.of(this.arguments.fleet())) {
			Actor actor = new Actor(this, workload, this.arguments.seed() + this.actors.size(),
					this.arguments.witnessPort());
			this.actors.add(actor);
			Thread thread = new Thread(actor, workload.name());
			thread.setDaemon(true);
			this.threads.add(thread);
			thread.start();
		}
		Thread interrupter = new Thread(this::interrupt, "interrupter");
		interrupter.setDaemon(true);
		interrupter.start();
	}

	private void interrupt() {
		try {
			while (this.working) {
				Lapse.upTo(Duration.ofMillis(60));
				this.actors.forEach(Actor::interrupt);
			}
		}
		catch (InterruptedException ex) {
			// Not for this thread.
		}
	}

	private void obey() throws IOException {
		BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line = commands.readLine(); line != null; line = commands.readLine()) {
			System.out.println(obey(line.split(" ")));
			System.out.flush();
		}
	}

	private String obey(String[] words) {
		try {
			return switch (words[0]) {
				case "probe" -> this.client.locks().creating() + " " + this.client.locks().deleting();
				case "look" -> look(words[1]);
				case "expire" -> expire();
				case "block" -> {
					this.listenerBlockMillis = Long.parseLong(words[1]);
					yield "ok";
				}
				case "exhaust" -> {
					this.client.locks().exhaustPool(Duration.ofMillis(Long.parseLong(words[1])));
					yield "ok";
				}
				case "recycle" -> recycle();
				case "quiet" -> quiet();
				default -> "unknown " + words[0];
			};
		}
		catch (Exception ex) {
			return "failed " + ex;
		}
	}

	/**
	 * Say who this is, what its threads do with a lock and where they are, and what is
	 * known of the lock here. All threads go to the log.
	 */
	private String look(String key) throws Exception {
		logThreads();
		Client now = this.client;
		List<String> lines = new ArrayList<>();
		CuratorFramework client = now.locks().client();
		if (client != null) {
			lines.add("session " + session(client));
		}
		lines.add("%s as %s".formatted(this.arguments.fleet(), now.instance()));
		this.actors.forEach((actor) -> lines.addAll(actor.belief(key)));
		lines.addAll(now.locks().belief(key));
		return String.join("\t", lines);
	}

	private static String session(CuratorFramework client) throws Exception {
		return "0x" + Long.toHexString(client.getZookeeperClient().getZooKeeper().getSessionId());
	}

	private static void logThreads() {
		System.err.println(Thread.getAllStackTraces()
			.entrySet()
			.stream()
			.map((entry) -> entry.getKey() + " " + List.of(entry.getValue()))
			.collect(Collectors.joining("\n")));
	}

	/**
	 * End the session from outside: who closes a second handle with the same id and
	 * password closes it for both.
	 */
	private String expire() throws Exception {
		ZooKeeper own = Objects.requireNonNull(this.client.locks().client()).getZookeeperClient().getZooKeeper();
		ZooKeeper second = new ZooKeeper(this.arguments.directConnectString(), 10_000, (event) -> {
		}, own.getSessionId(), own.getSessionPasswd());
		try {
			Awaitility.await()
				.atMost(Duration.ofSeconds(1))
				.until(() -> second.getState() == ZooKeeper.States.CONNECTED);
		}
		catch (ConditionTimeoutException ex) {
			// Another fault keeps it from connecting, and the session stays.
		}
		finally {
			second.close(500);
		}
		return "ok";
	}

	/**
	 * What an application does that closes its context while threads wait, and starts
	 * anew.
	 */
	private String recycle() {
		Locks old = this.client.locks();
		this.client = connect();
		Thread closing = new Thread(old::close, "recycle");
		closing.setDaemon(true);
		closing.start();
		return "ok";
	}

	private String quiet() throws Exception {
		this.working = false;
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(40);
		for (Thread thread : this.threads) {
			thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
			if (thread.isAlive()) {
				logThreads();
				return "hangs " + thread.getName();
			}
		}
		try {
			Awaitility.await()
				.atMost(Math.max(100, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())),
						TimeUnit.MILLISECONDS)
				.until(() -> this.client.locks().deleting() == 0);
		}
		catch (ConditionTimeoutException ex) {
			return "hangs " + this.client.locks().deleting() + " releases";
		}
		CuratorFramework client = this.client.locks().client();
		return (client != null) ? "quiet " + session(client) : "quiet ";
	}

	Client client() {
		return this.client;
	}

	HiccupMeter hiccups() {
		return this.hiccups;
	}

	boolean isWorking() {
		return this.working;
	}

	/**
	 * Return whether its answers are judged by their deadlines. Curator promises none, so
	 * the mutexes beside Interlock are not; the control is there to fail.
	 */
	boolean keepsDeadlines() {
		return this.arguments.fleet() != Fleet.PEER;
	}

	/**
	 * What stands for one instance of an application.
	 */
	record Client(String instance, Locks locks) {

	}

	/**
	 * What a worker is started with.
	 */
	private record Arguments(String name, Fleet fleet, String connectString, Duration sessionTimeout,
			String directConnectString, int witnessPort, long seed) {

		static Arguments parse(String[] args) {
			return new Arguments(args[0], Fleet.valueOf(args[1]), args[2], Duration.parse(args[3]), args[4],
					Integer.parseInt(args[5]), Long.parseLong(args[6]));
		}

	}

}
