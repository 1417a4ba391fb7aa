package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueingLockProvider;
import org.jspecify.annotations.Nullable;

/**
 * One schedule of a few contenders in a few instances, on one thread and without time. A
 * seed decides who contends, which faults there may be, and which of the possible actions
 * comes next; the same seed repeats the schedule. When the steps are used up, faults
 * stop. Then there are two quiet phases of fair rounds: in the first one the holders go
 * on holding, in the second one they release.
 */
final class Simulation {

	/** Rounds after which nothing may be under way. */
	private static final int ROUNDS = 60;

	private static final LockRequest MUTEX = LockRequest.exclusive("mutex");

	private static final LockRequest WRITER = LockRequest.exclusive("readWrite");

	private static final LockRequest READER = LockRequest.shared("readWrite");

	private static final LockRequest PERMIT = LockRequest.semaphore("permits", 2);

	/** A grant is handed over once, and for as long as a schedule lasts. */
	private static final QueueSettings QUEUE = new QueueSettings(true, Map.of(), Duration.ofDays(1), 1, 10,
			Duration.ZERO, Map.of());

	private final SplittableRandom random;

	private final @Nullable List<String> trace;

	private final int[] budget = new int[Fault.ALL.length];

	private int faults;

	private final SimulatedServers servers;

	private final SimulationChecks checks;

	/** Instances by their number; that of stock contenders, if any, comes last. */
	private final List<SimulatedEngine> engines = new ArrayList<>(3);

	private final @Nullable SimulatedHandle stock;

	private final List<SimulatedContender> contenders = new ArrayList<>(4);

	private final boolean readWrite;

	/** Whether contenders come back, instances stop, memory ends, and modes mix. */
	private final boolean wide;

	private final boolean mixed;

	/** Whether the client of an instance that stops is closed while others go on. */
	private final boolean closesClients;

	/** Queues in front of the instances, or none. */
	private final List<QueueingLockProvider> queues = new ArrayList<>(3);

	/** Times that contenders may still come back. */
	private int returns;

	/** Whether some contenders keep the lock for a minimum time. */
	private final boolean keeping;

	/** The contenders as the trace has told of them. */
	private final List<String> told = new ArrayList<>();

	private int[] actions = new int[64];

	private int possible;

	private int steps;

	/**
	 * Create a schedule.
	 * @param seed decides everything; a negative one makes a wide schedule, with what
	 * other schedules do not have
	 * @param focus the only faults that there are, each as often as it may be; empty for
	 * some of all
	 */
	Simulation(long seed, Set<Fault> focus) {
		this(seed, focus, null);
	}

	private Simulation(long seed, Set<Fault> focus, @Nullable List<String> trace) {
		this(seed, focus, Integer.MAX_VALUE, trace);
	}

	/**
	 * Create a schedule.
	 * @param allowed how many writes a client has under way before the next ones travel
	 * together
	 */
	Simulation(long seed, Set<Fault> focus, int allowed, @Nullable List<String> trace) {
		this.random = new SplittableRandom(seed);
		this.trace = trace;
		this.wide = seed < 0;
		this.keeping = Math.abs(seed % 4) == 1;
		int kind = this.random.nextInt(20);
		boolean permits = kind < 3;
		this.mixed = this.wide && !permits && kind < 8;
		this.readWrite = kind >= 12;
		this.servers = new SimulatedServers(pick(2, 3, 3),
				SimulatedEngine.ROOT + "/" + (permits ? "permits" : (this.readWrite ? "readWrite" : "mutex")));
		this.servers.allowed = allowed;
		this.servers.eventsAreSeen = !this.wide;
		this.checks = new SimulationChecks(this.servers, this.contenders, this.wide);
		int instances = pick(1, 2, 2, 3);
		boolean withStock = !permits && this.random.nextInt(10) < 4;
		for (int i = 0; i < instances; i++) {
			SimulatedEngine engine = new SimulatedEngine(this.servers, i, this.random.nextBoolean());
			this.engines.add(engine);
			this.checks.add(engine);
		}
		this.stock = withStock ? new SimulatedHandle(this.servers, instances, true, (state) -> {
		}) : null;
		for (int i = 0; i < instances + (withStock ? 1 : 0); i++) {
			handle(i).connect(i % this.servers.applied.length, false);
			handle(i).drain();
		}
		if (this.random.nextInt(10) == 0) {
			this.servers.changeParent();
		}
		if (this.wide && !permits && !this.mixed && !this.keeping && this.random.nextBoolean()) {
			this.engines.forEach((engine) -> this.queues.add(new QueueingLockProvider(engine.provider(), QUEUE)));
		}
		int attempts = pick(2, 3, 3, 4);
		for (int i = 0; i < attempts; i++) {
			this.contenders.add(contender(i, this.random.nextInt(instances + (withStock ? 1 : 0)), permits));
		}
		this.faults = pick(0, 1, 1, 2, 2, 3, 4);
		for (Fault fault : Fault.ALL) {
			boolean often = focus.contains(fault);
			if (!this.wide && fault.ofWide) {
				continue;
			}
			boolean there = focus.isEmpty() ? this.random.nextBoolean() : often;
			this.budget[fault.ordinal()] = there ? (often ? fault.most : 1 + this.random.nextInt(fault.most)) : 0;
		}
		this.returns = this.wide ? pick(0, 2, 4) : 0;
		this.closesClients = this.wide && this.random.nextBoolean();
		if (!focus.isEmpty()) {
			this.faults = 4;
		}
	}

	private SimulatedContender contender(int number, int client, boolean permits) {
		LockMode mode = ((this.readWrite || this.mixed) && this.random.nextBoolean()) ? LockMode.SHARED
				: LockMode.EXCLUSIVE;
		if (client == this.engines.size()) {
			return new StockContender(number, this.stock, mode, this.readWrite, this.checks);
		}
		LockRequest request = permits ? PERMIT
				: (this.readWrite ? ((mode == LockMode.SHARED) ? READER : WRITER) : mutex(mode));
		if (this.keeping && this.random.nextBoolean()) {
			request = request.withMinHold(Duration.ofMillis(pick(1, 2, 4) * SimulatedEngine.TICK_MILLIS));
		}
		boolean waits = this.random.nextInt(100) < 85;
		if (!this.queues.isEmpty()) {
			return new QueuedContender(number, client, waits ? request : request.withWaitTime(Duration.ZERO),
					this.queues.get(client), this.checks);
		}
		boolean writesFirst = waits || this.random.nextBoolean();
		return new PipelinedContender(number, client, waits ? request : request.withWaitTime(Duration.ZERO),
				writesFirst, this.engines.get(client), this.checks);
	}

	private LockRequest mutex(LockMode mode) {
		if (this.mixed && this.random.nextBoolean()) {
			return (mode == LockMode.SHARED) ? LockRequest.shared("mutex") : LockRequest.semaphore("mutex", 2);
		}
		return MUTEX;
	}

	private int pick(int... values) {
		return values[this.random.nextInt(values.length)];
	}

	/**
	 * Run schedules until one violates a promise.
	 * @param schedules how many at the most
	 * @param focus names of the only faults that there are; empty for some of all
	 * @param wide whether to run wide schedules
	 * @param allowed how many writes a client has under way before the next ones travel
	 * together
	 * @return number of the schedules that it took and what was violated; empty if
	 * nothing was
	 */
	static Map<Integer, String> hunt(int schedules, List<String> focus, boolean wide, int allowed) {
		Set<Fault> faults = faults(focus);
		for (int seed = 1; seed <= schedules; seed++) {
			String violation = new Simulation(wide ? -seed : seed, faults, allowed, null).run();
			if (violation != null) {
				return Map.of(seed, violation);
			}
		}
		return Map.of();
	}

	/**
	 * Run a schedule, and write down each step.
	 * @return the steps, and what was violated
	 */
	static List<String> trace(long seed, Set<Fault> focus) {
		List<String> trace = new ArrayList<>();
		trace.add("seed " + seed + (focus.isEmpty() ? "" : " with " + EnumSet.copyOf(focus)));
		Simulation simulation = new Simulation(seed, focus, trace);
		simulation.contenders.forEach((contender) -> trace.add(contender + " in instance " + contender.client));
		String violation = simulation.run();
		trace.add((violation != null) ? "VIOLATION: " + violation : "no violation");
		return trace;
	}

	/** Return how many transactions of several writes were sent. */
	int together() {
		return this.servers.counts[SimulatedRequest.Kind.MULTI.ordinal()];
	}

	static Set<Fault> faults(List<String> names) {
		Set<Fault> faults = EnumSet.noneOf(Fault.class);
		names.forEach((name) -> faults.add(Fault.valueOf(name)));
		return faults;
	}

	/** Return how many attempts were granted. */
	int grants() {
		return this.checks.grants();
	}

	/**
	 * Run the schedule.
	 * @return what was violated, or {@code null}
	 */
	@Nullable String run() {
		int rare = pick(5, 10, 20);
		boolean busy = this.random.nextInt(3) == 0;
		for (int left = pick(60, 120, 200); left > 0 && this.checks.violation() == null; left--) {
			this.possible = 0;
			boolean wanted = this.random.nextInt(100) < rare;
			if (!wanted) {
				collect();
			}
			if (this.possible == 0) {
				collectRare();
			}
			int action = this.actions[this.random.nextInt(this.possible)];
			if (!busy || Action.of(action) != Action.RELEASE || this.random.nextInt(10) < 3) {
				act(action);
			}
		}
		settle(false);
		settle(true);
		return this.checks.violation();
	}

	// What is possible

	private void add(Action action, int first, int second) {
		if (this.possible == this.actions.length) {
			this.actions = Arrays.copyOf(this.actions, 2 * this.possible);
		}
		this.actions[this.possible++] = action.with(first, second);
	}

	private SimulatedHandle handle(int client) {
		return (client < this.engines.size()) ? this.engines.get(client).current() : this.stock;
	}

	private int clients() {
		return this.engines.size() + ((this.stock != null) ? 1 : 0);
	}

	/** Collect what happens without faults. */
	private void collect() {
		for (int server = 0; server < this.servers.applied.length; server++) {
			if (this.servers.applied[server] < this.servers.zxid()) {
				add(Action.APPLY, server, 0);
			}
		}
		for (int i = 0; i < this.servers.sessions.size(); i++) {
			if (!this.servers.sessions.get(i).late.isEmpty()) {
				add(Action.EXECUTE_LATE, i, 0);
				add(Action.DROP_LATE, i, 0);
			}
		}
		for (int client = 0; client < clients(); client++) {
			collect(client, handle(client));
		}
		for (SimulatedContender contender : this.contenders) {
			if (!contender.started) {
				add(Action.START, contender.number, 0);
			}
			else if (contender.isHolding()) {
				add(Action.RELEASE, contender.number, 0);
			}
			else if (contender.isToBeStopped()) {
				add(Action.STOP, contender.number, 0);
			}
			else if (this.returns > 0 && !(contender instanceof StockContender) && contender.isOver()) {
				add(Action.COME_BACK, contender.number, 0);
			}
		}
		for (int client = 0; client < this.engines.size(); client++) {
			if (this.closesClients && this.engines.get(client).isClosing() && !handle(client).closed) {
				add(Action.END, client, 0);
			}
		}
	}

	private void collect(int client, SimulatedHandle handle) {
		if (client < this.engines.size()) {
			List<SimulatedHandle> handles = this.engines.get(client).handles;
			for (int i = 0; i < handles.size(); i++) {
				if (handles.get(i).paused) {
					add(Action.GO_ON, client, i);
				}
			}
		}
		SimulatedConnection connection = handle.connection;
		if (connection == null) {
			if (!handle.closed) {
				collectConnections(client, handle);
			}
			return;
		}
		if (!connection.session.alive) {
			add(Action.CLOSE, client, 0);
			return;
		}
		if (connection.session.late.isEmpty() && connection.nextWrite() != null) {
			add(Action.EXECUTE, client, 0);
		}
		if (this.servers.canAnswer(connection)) {
			add(Action.ANSWER, client, 0);
		}
		if (!connection.sent.isEmpty()) {
			add(Action.RECEIVE, client, 0);
		}
	}

	private void collectConnections(int client, SimulatedHandle handle) {
		for (int server = 0; server < this.servers.applied.length; server++) {
			if (handle.session == null || this.servers.applied[server] >= handle.seen) {
				add(Action.CONNECT, client, server);
				if (handle.watchers().size() > 1) {
					add(Action.CONNECT_REVERSED, client, server);
				}
			}
		}
		if (!handle.waiting.isEmpty()) {
			add(Action.REFUSE, client, 0);
		}
	}

	/** Collect one kind of what happens now and then: the timers, time, and faults. */
	private void collectRare() {
		int kinds = this.wide ? Fault.ALL.length : Fault.ERROR.ordinal();
		int start = this.random.nextInt(kinds + 1);
		for (int i = 0; this.possible == 0 && i <= kinds; i++) {
			int kind = (start + i) % (kinds + 1);
			if (kind == kinds) {
				for (int client = 0; client < this.engines.size(); client++) {
					add(Action.LOOK, client, 0);
				}
			}
			else if (this.budget[kind] > 0 && (this.faults > 0 || !Fault.ALL[kind].counts)) {
				collect(Fault.ALL[kind]);
			}
		}
	}

	private void collect(Fault fault) {
		switch (fault) {
			case TIME -> add(Action.TIME, 0, 0);
			case EXPIRY -> collectExpiries();
			case ABANDONMENT -> {
				for (SimulatedContender contender : this.contenders) {
					if (contender.isWaiting()) {
						add(Action.CANCEL, contender.number, 0);
					}
				}
			}
			case DOWNGRADE -> {
				for (SimulatedContender contender : this.contenders) {
					if (contender instanceof StockContender other && other.canDowngrade()) {
						add(Action.DOWNGRADE, contender.number, 0);
					}
				}
			}
			case DELETION, CHANGE -> {
				for (int i = 0; i < this.servers.nodes.size(); i++) {
					SimulatedNode node = this.servers.nodes.get(i);
					if (node.isThere() && fault == Fault.DELETION) {
						add(Action.DELETE, i, 0);
					}
					else if (node.isThere() && node.changedAt == 0) {
						add(Action.CHANGE, i, 0);
					}
				}
			}
			case REAPING -> {
				if (this.servers.isEmpty() && this.servers.hasParent(this.servers.zxid())) {
					add(Action.REAP, 0, 0);
				}
			}
			default -> {
				for (int client = 0; client < this.engines.size(); client++) {
					collect(fault, client, handle(client));
				}
			}
		}
	}

	private void collectExpiries() {
		for (int i = 0; i < this.servers.sessions.size(); i++) {
			SimulatedSession session = this.servers.sessions.get(i);
			if (session.alive && session.client < this.engines.size()
					&& this.servers.now - session.touchedAt >= SimulatedServers.SESSION_TICKS) {
				add(Action.EXPIRE, i, 0);
			}
		}
	}

	private void collect(Fault fault, int client, SimulatedHandle handle) {
		if (fault == Fault.PAUSE && !handle.paused) {
			add(Action.PAUSE, client, 0);
		}
		else if (fault == Fault.ERROR && !handle.closed) {
			for (int calls = 0; calls < 6; calls++) {
				add(Action.ERROR, client, calls);
			}
		}
		else if (fault == Fault.SHUTDOWN && client == 0 && !this.engines.get(client).isClosing()) {
			add(Action.SHUT_DOWN, client, 0);
		}
		else if (fault == Fault.DROP && handle.session != null && !handle.closed) {
			add(Action.DROP, client, 0);
		}
		else if (handle.connection != null && (fault == Fault.CUT || fault == Fault.FAILURE)) {
			int late = 0;
			List<SimulatedRequest> requests = handle.connection.requests;
			for (int i = 0; i < requests.size(); i++) {
				if (fault == Fault.FAILURE && !requests.get(i).fails
						&& requests.get(i).kind != SimulatedRequest.Kind.BEAT) {
					add(Action.FAIL, client, i);
				}
				late += (requests.get(i).kind.isForLeader && !requests.get(i).done) ? 1 : 0;
			}
			for (int i = 0; fault == Fault.CUT && i <= late; i++) {
				add(Action.CUT, client, i);
			}
		}
	}

	// What is done

	private void act(int coded) {
		Action action = Action.of(coded);
		int first = Action.first(coded);
		int second = Action.second(coded);
		this.steps++;
		if (this.trace != null) {
			this.trace.add("%4d %s %s".formatted(this.steps, action, describe(action, first, second)));
		}
		if (action.fault != null) {
			this.budget[action.fault.ordinal()]--;
			this.faults -= action.fault.counts ? 1 : 0;
		}
		switch (action) {
			case APPLY -> this.servers.apply(first);
			case EXECUTE_LATE -> {
				SimulatedSession session = this.servers.sessions.get(first);
				this.servers.execute(session.late.remove(), session);
			}
			case DROP_LATE -> this.servers.sessions.get(first).late.clear();
			case DELETE -> this.servers.deleteByOperator(this.servers.nodes.get(first));
			case CHANGE -> this.servers.change(this.servers.nodes.get(first));
			case REAP -> this.servers.changeParent();
			case TIME -> {
				this.servers.now++;
				this.contenders.forEach(SimulatedContender::timePassed);
			}
			case EXPIRE -> this.servers.end(this.servers.sessions.get(first));
			case START, CANCEL, STOP, RELEASE, DOWNGRADE, COME_BACK -> act(action, this.contenders.get(first));
			default -> act(action, first, second);
		}
		if (this.trace != null && !action.isOfServers) {
			this.contenders.forEach((contender) -> tell(contender));
		}
	}

	private void tell(SimulatedContender contender) {
		String now = contender.toString();
		while (this.told.size() <= contender.number) {
			this.told.add("");
		}
		if (!this.told.set(contender.number, now).equals(now)) {
			this.trace.add("          " + now
					+ ((contender.held() != null && contender.isHolding()) ? " with " + contender.held() : ""));
		}
	}

	private void act(Action action, SimulatedContender contender) {
		this.servers.acting = contender.number;
		try {
			switch (action) {
				case START -> contender.start();
				case RELEASE -> contender.release();
				case CANCEL -> contender.cancel();
				case STOP -> ((PipelinedContender) contender).stop();
				case COME_BACK -> comeBack(contender);
				default -> ((StockContender) contender).downgrade();
			}
		}
		catch (OutOfMemoryError ex) {
			// The caller is told, and cannot do more.
		}
		this.servers.acting = -1;
		handle(contender.client).drain();
	}

	private void comeBack(SimulatedContender before) {
		this.returns--;
		SimulatedContender again = before.again(this.contenders.size());
		this.contenders.add(again);
		this.servers.acting = again.number;
		again.start();
	}

	private void act(Action action, int client, int second) {
		SimulatedHandle handle = handle(client);
		switch (action) {
			case EXECUTE -> this.servers.execute(handle.connection.nextWrite(), handle.session);
			case ANSWER -> this.servers.answer(handle.connection);
			case FAIL -> handle.connection.requests.get(second).fails = true;
			case RECEIVE -> handle.receive();
			case CONNECT, CONNECT_REVERSED -> {
				if (handle.session != null && !handle.session.alive) {
					handle.expire();
				}
				else {
					handle.connect(second, action == Action.CONNECT_REVERSED);
				}
			}
			case REFUSE -> handle.refuse();
			case CUT, CLOSE -> handle.cut(second);
			case PAUSE -> handle.paused = true;
			case GO_ON -> this.engines.get(client).handles.get(second).paused = false;
			case DROP -> this.engines.get(client).drop();
			case ERROR -> {
				handle.errorIn = 1 + second % 3;
				handle.errors = (second < 3) ? 1 : 3;
			}
			case SHUT_DOWN -> caught(this.engines.get(client)::close);
			case END -> this.engines.get(client).closeClient();
			default -> caught(this.engines.get(client)::look);
		}
		if (client == this.engines.size()) {
			handle.drain();
			return;
		}
		List<SimulatedHandle> handles = this.engines.get(client).handles;
		for (int i = 0; i < handles.size(); i++) {
			handles.get(i).drain();
		}
	}

	/** Do what may run out of memory on a thread that goes on. */
	private static void caught(Runnable action) {
		try {
			action.run();
		}
		catch (OutOfMemoryError ex) {
			// It is logged.
		}
	}

	private String describe(Action action, int first, int second) {
		return switch (action) {
			case APPLY -> "server %d, transaction %d".formatted(first, this.servers.applied[first] + 1);
			case EXECUTE_LATE, DROP_LATE, EXPIRE -> this.servers.sessions.get(first).toString();
			case DELETE, CHANGE -> this.servers.nodes.get(first).toString();
			case REAP, TIME -> "";
			case START, CANCEL, STOP, RELEASE, DOWNGRADE, COME_BACK -> this.contenders.get(first).toString();
			case EXECUTE -> "instance %d: %s".formatted(first, handle(first).connection.nextWrite());
			case ANSWER -> "instance %d: %s".formatted(first, handle(first).connection.requests.get(0));
			case FAIL -> "instance %d: %s".formatted(first, handle(first).connection.requests.get(second));
			case RECEIVE -> "instance %d: %s".formatted(first, handle(first).connection.sent.peek())
					+ ((handle(first).connection.sent.peek() instanceof SimulatedRequest answer) ? " is " + answer.code
							: "");
			case CONNECT, CONNECT_REVERSED -> "instance %d to server %d".formatted(first, second);
			case CUT -> "instance %d, %d writes on their way".formatted(first, second);
			default -> "instance %d".formatted(first);
		};
	}

	// The end

	/** Let fair rounds pass until nothing is under way. */
	private void settle(boolean releasing) {
		int quiet = 0;
		for (int round = 0; round < ROUNDS && this.checks.violation() == null; round++) {
			exhaust(releasing);
			this.checks.checkKeptWatches();
			quiet = isQuiet(releasing) ? quiet + 1 : 0;
			if (quiet == 3) {
				look();
				exhaust(releasing);
				changeNodes();
				exhaust(releasing);
				look();
				exhaust(releasing);
				this.checks.checkWaits();
				this.checks.checkLeftovers();
				this.checks.checkBooks();
				if (releasing) {
					this.checks.checkDecided();
				}
				else if (this.wide && this.steps % 4 == 0) {
					deleteHeldNodes();
					exhaust(false);
					this.checks.checkLosses();
				}
				return;
			}
			look();
			exhaust(releasing);
			act(Action.TIME.with(0, 0));
			this.possible = 0;
			collectExpiries();
			for (int i = 0; i < this.possible; i++) {
				if (handleOf(this.actions[i]) == null) {
					act(this.actions[i]);
				}
			}
		}
		this.checks.violated("no end: " + this.contenders);
	}

	/** Let an operator delete each node that is held. */
	private void deleteHeldNodes() {
		for (int i = 0; i < this.servers.nodes.size(); i++) {
			if (this.servers.nodes.get(i).isThere() && this.checks.isHeld(this.servers.nodes.get(i))) {
				act(Action.DELETE.with(i, 0));
			}
		}
	}

	/** Let an operator write the data of each node, which uses watches up. */
	private void changeNodes() {
		for (int i = 0; i < this.servers.nodes.size(); i++) {
			SimulatedNode node = this.servers.nodes.get(i);
			if (node.changedAt == 0 && node.isThere()) {
				act(Action.CHANGE.with(i, 0));
			}
		}
	}

	private void look() {
		for (int client = 0; client < this.engines.size(); client++) {
			act(Action.LOOK.with(client, 0));
		}
	}

	/** Return the current handle of a session that may expire, if it has one. */
	private @Nullable SimulatedHandle handleOf(int expiry) {
		SimulatedSession session = this.servers.sessions.get(Action.first(expiry));
		SimulatedHandle handle = handle(session.client);
		return (handle.session == session) ? handle : null;
	}

	private boolean isQuiet(boolean releasing) {
		if (this.checks.isAnyKept()) {
			return false;
		}
		for (SimulatedContender contender : this.contenders) {
			if (contender.started && !contender.isAtRest()) {
				return false;
			}
			if (releasing && contender.isHolding()) {
				return false;
			}
		}
		for (SimulatedEngine engine : this.engines) {
			if (engine.isBusy()) {
				return false;
			}
		}
		for (SimulatedSession session : this.servers.sessions) {
			if (session.alive && session.client < this.engines.size() && handle(session.client).session != session) {
				return false;
			}
		}
		return true;
	}

	/** Do all that is possible without faults, until nothing is. */
	private void exhaust(boolean releasing) {
		for (int round = 0; round < ROUNDS; round++) {
			int before = this.steps;
			for (int client = 0; client < clients(); client++) {
				exhaust(client);
			}
			for (int i = 0; i < this.contenders.size(); i++) {
				SimulatedContender contender = this.contenders.get(i);
				if (contender.isToBeStopped()) {
					act(Action.STOP.with(i, 0));
				}
				else if (releasing && contender.isHolding()) {
					act(Action.RELEASE.with(i, 0));
				}
			}
			if (this.steps == before || this.checks.violation() != null) {
				return;
			}
		}
		this.checks.violated("no end of one round: " + this.contenders);
	}

	private void exhaust(int client) {
		if (client < this.engines.size()) {
			List<SimulatedHandle> handles = this.engines.get(client).handles;
			for (int i = 0; i < handles.size(); i++) {
				if (handles.get(i).paused) {
					act(Action.GO_ON.with(client, i));
				}
			}
		}
		SimulatedHandle handle = handle(client);
		handle.errorIn = 0;
		SimulatedConnection connection = handle.connection;
		if (connection == null) {
			if (!handle.closed) {
				connect(client);
			}
			return;
		}
		if (!connection.session.alive) {
			act(Action.CLOSE.with(client, 0));
			return;
		}
		while (!connection.session.late.isEmpty()) {
			act(Action.EXECUTE_LATE.with(connection.session.id - 1, 0));
		}
		while (connection.nextWrite() != null) {
			act(Action.EXECUTE.with(client, 0));
		}
		for (int server = 0; server < this.servers.applied.length; server++) {
			while (this.servers.applied[server] < this.servers.zxid()) {
				act(Action.APPLY.with(server, 0));
			}
		}
		while (this.servers.canAnswer(connection)) {
			act(Action.ANSWER.with(client, 0));
		}
		while (!connection.sent.isEmpty() && handle(client).connection == connection) {
			act(Action.RECEIVE.with(client, 0));
		}
	}

	private void connect(int client) {
		this.possible = 0;
		collectConnections(client, handle(client));
		if (this.possible > 0) {
			act(this.actions[0]);
		}
	}

	/**
	 * What makes a schedule differ from the straight way. Time, expiry, abandonment and
	 * the downgrade of a stock contender do not count among the faults.
	 */
	enum Fault {

		CUT(3, true), FAILURE(2, true), PAUSE(1, true), DROP(1, true), DELETION(1, true), CHANGE(1, true),
		REAPING(1, true), TIME(7, false), EXPIRY(3, false), ABANDONMENT(2, false), DOWNGRADE(1, false),

		ERROR(2, true), SHUTDOWN(1, false);

		private static final Fault[] ALL = values();

		final int most;

		final boolean counts;

		/** Whether only wide schedules have it. */
		final boolean ofWide;

		Fault(int most, boolean counts) {
			this.most = most;
			this.counts = counts;
			this.ofWide = ordinal() >= 11;
		}

	}

	/**
	 * A step of a schedule, coded as a number with what it is about.
	 */
	private enum Action {

		APPLY(true), EXECUTE_LATE(true), DROP_LATE(true), EXECUTE(true), ANSWER(true), RECEIVE(false), CONNECT(false),
		CONNECT_REVERSED(false), REFUSE(false), CLOSE(false), GO_ON(false), LOOK(false), START(false), STOP(false),
		RELEASE(false), COME_BACK(false), END(false), CUT(Fault.CUT), FAIL(Fault.FAILURE), PAUSE(Fault.PAUSE),
		DROP(Fault.DROP), DELETE(Fault.DELETION), CHANGE(Fault.CHANGE), REAP(Fault.REAPING), TIME(Fault.TIME),
		EXPIRE(Fault.EXPIRY), CANCEL(Fault.ABANDONMENT), DOWNGRADE(Fault.DOWNGRADE), ERROR(Fault.ERROR),
		SHUT_DOWN(Fault.SHUTDOWN);

		private static final Action[] ALL = values();

		final boolean isOfServers;

		final @Nullable Fault fault;

		Action(boolean isOfServers) {
			this.isOfServers = isOfServers;
			this.fault = null;
		}

		Action(Fault fault) {
			this.isOfServers = false;
			this.fault = fault;
		}

		int with(int first, int second) {
			return ordinal() << 20 | first << 10 | second;
		}

		static Action of(int coded) {
			return ALL[coded >> 20];
		}

		static int first(int coded) {
			return coded >> 10 & 1023;
		}

		static int second(int coded) {
			return coded & 1023;
		}

	}

}
