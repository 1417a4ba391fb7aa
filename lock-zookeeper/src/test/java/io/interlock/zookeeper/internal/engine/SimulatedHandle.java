package io.interlock.zookeeper.internal.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.interlock.zookeeper.internal.engine.SimulatedMessage.NodeEvent;
import io.interlock.zookeeper.internal.engine.SimulatedMessage.StateEvent;
import io.interlock.zookeeper.internal.engine.SimulatedRequest.Kind;
import io.interlock.zookeeper.internal.node.MinHoldNode;
import org.apache.zookeeper.AsyncCallback.MultiCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * A handle of ZooKeeper's client: one session, its connection, the registered watchers,
 * and the queue of an event thread that can be paused. As in the client,
 * <ul>
 * <li>a lost connection answers every request, in order, and then tells of itself;
 * <li>requests sent without a connection wait for the next one, and come after the
 * watches are set again;
 * <li>a watcher is registered when its request is answered, and chosen when an event
 * arrives; news of the connection reach all watchers;
 * <li>{@code removeAllWatches} takes all watchers of a node, whatever its answer;
 * <li>a closed handle answers with {@link Code#SESSIONEXPIRED}, at once if its event
 * thread has ended.
 * </ul>
 */
final class SimulatedHandle implements Requests {

	final SimulatedServers servers;

	final int client;

	private final Consumer<KeeperState> onState;

	@Nullable SimulatedSession session;

	@Nullable SimulatedConnection connection;

	boolean closed;

	boolean paused;

	/** The newest transaction that the network side knows of. */
	int seen;

	/** The transaction that the newest processed message told of. */
	int processed;

	/** Requests that wait for a connection. */
	final List<SimulatedRequest> waiting = new ArrayList<>(4);

	/** Number of requests without an answer that was processed. */
	int unanswered;

	private final Map<String, List<SimulatedWatcher>> watchers = new LinkedHashMap<>();

	private final Deque<SimulatedMessage> events = new ArrayDeque<>();

	/** Parts of transactions that are about to be sent. */
	private final Map<Op, SimulatedRequest> parts = new IdentityHashMap<>();

	private boolean draining;

	/** The next call but so many fails for want of memory; none if zero. */
	int errorIn;

	/** How many calls fail then, one after the other. */
	int errors;

	private final boolean stateFirst;

	private final WriteQueue writes;

	SimulatedHandle(SimulatedServers servers, int client, boolean stateFirst, Consumer<KeeperState> onState) {
		this.writes = new WriteQueue(this::sendTogether, WriteWindow.fixed(servers.allowed));
		this.servers = servers;
		this.client = client;
		this.stateFirst = stateFirst;
		this.onState = onState;
	}

	// The network side

	void connect(int server, boolean reversed) {
		boolean first = this.session == null;
		if (first) {
			this.session = this.servers.begin(this.client, server);
			this.seen = this.servers.applied[server];
		}
		SimulatedConnection connection = this.servers.connect(this.session, server);
		this.connection = connection;
		List<String> paths = new ArrayList<>(this.watchers.keySet());
		if (reversed) {
			Collections.reverse(paths);
		}
		this.servers.watchAgain(connection, paths, this.seen);
		this.waiting.forEach((request) -> request.session = this.session);
		connection.requests.addAll(this.waiting);
		this.waiting.clear();
		tell(KeeperState.SyncConnected);
	}

	/** Lose the connection. */
	void cut(int late) {
		SimulatedConnection lost = this.connection;
		this.connection = null;
		this.servers.disturbances++;
		this.servers.cut(lost, late);
		for (SimulatedMessage message : lost.sent) {
			if (message instanceof SimulatedRequest request) {
				answer(request, Code.CONNECTIONLOSS);
			}
		}
		lost.requests.forEach((request) -> answer(request, Code.CONNECTIONLOSS));
		tell(KeeperState.Disconnected);
	}

	/** Fail to connect. */
	void refuse() {
		this.servers.disturbances++;
		this.waiting.forEach((request) -> answer(request, Code.CONNECTIONLOSS));
		this.waiting.clear();
		tell(KeeperState.Disconnected);
	}

	/** Learn from a server that the session is over. */
	void expire() {
		this.closed = true;
		this.servers.disturbances++;
		tell(KeeperState.Expired);
		this.waiting.forEach((request) -> answer(request, Code.SESSIONEXPIRED));
		this.waiting.clear();
	}

	/** End the handle while the servers still keep its session. */
	void close() {
		if (this.connection != null) {
			cut(0);
		}
		this.closed = true;
		this.servers.disturbances++;
		this.waiting.forEach((request) -> answer(request, Code.SESSIONEXPIRED));
		this.waiting.clear();
	}

	private void answer(SimulatedRequest request, Code code) {
		// The late request may still be executed, so that its answer is another object.
		SimulatedRequest answer = new SimulatedRequest(request.kind, request.path, request.contender, request.onAnswer,
				null);
		answer.code = code;
		forget(answer);
		this.events.add(answer);
	}

	private void tell(KeeperState state) {
		List<SimulatedWatcher> all = new ArrayList<>();
		this.watchers.values().forEach(all::addAll);
		this.events.add(new StateEvent(state, all));
	}

	/** Take the next message from the connection. */
	void receive() {
		SimulatedMessage message = this.connection.sent.remove();
		if (this.servers.eventsAreSeen || !(message instanceof NodeEvent)) {
			this.seen = Math.max(this.seen, message.zxid());
		}
		if (message instanceof NodeEvent event) {
			List<SimulatedWatcher> told = this.watchers.remove(event.path());
			if (told != null) {
				this.events.add(new NodeEvent(event.type(), event.path(), event.zxid(), told));
			}
		}
		else if (message instanceof SimulatedRequest request) {
			if (request.leavesWatch()) {
				List<SimulatedWatcher> registered = this.watchers.computeIfAbsent(request.path,
						(path) -> new ArrayList<>(2));
				if (registered.stream().noneMatch((watcher) -> watcher.action() == request.onEvent)) {
					registered.add(new SimulatedWatcher(request.contender, request.onEvent));
				}
			}
			forget(request);
			this.events.add(request);
		}
	}

	private void forget(SimulatedRequest request) {
		if (request.kind == Kind.UNWATCH) {
			List<SimulatedWatcher> told = this.watchers.remove(request.path);
			if (told != null) {
				this.events.add(new NodeEvent(EventType.DataWatchRemoved, request.path, this.seen, told));
			}
		}
	}

	Map<String, List<SimulatedWatcher>> watchers() {
		return this.watchers;
	}

	boolean hasEvents() {
		return !this.events.isEmpty();
	}

	// The event thread

	/** Process what has arrived, unless the event thread is paused. */
	void drain() {
		this.draining = true;
		while (!this.paused && !this.events.isEmpty()) {
			caught(() -> process(this.events.remove()));
		}
		this.draining = false;
	}

	/** Do what may run out of memory, as the event thread does: it goes on. */
	private static void caught(Runnable action) {
		try {
			action.run();
		}
		catch (OutOfMemoryError ex) {
			// The client logs it.
		}
	}

	private void process(SimulatedMessage message) {
		this.processed = message.zxid();
		if (message instanceof SimulatedRequest request) {
			answered(request);
		}
		else if (message instanceof NodeEvent event) {
			tell(event.watchers(), event.type());
		}
		else if (message instanceof StateEvent event) {
			if (this.stateFirst) {
				caught(() -> this.onState.accept(event.state()));
			}
			tell(event.watchers(), EventType.None);
			if (!this.stateFirst) {
				this.onState.accept(event.state());
			}
		}
	}

	private void answered(SimulatedRequest request) {
		this.unanswered--;
		int before = this.servers.acting;
		this.servers.acting = request.contender;
		caught(() -> request.onAnswer.accept(request));
		this.servers.acting = before;
	}

	private void tell(List<SimulatedWatcher> told, EventType type) {
		for (SimulatedWatcher watcher : told) {
			this.servers.acting = watcher.contender();
			caught(() -> watcher.action().accept(type));
			this.servers.acting = -1;
		}
	}

	// The client's methods

	private SimulatedRequest send(Kind kind, String path, Consumer<SimulatedRequest> onAnswer) {
		return send(kind, path, onAnswer, null);
	}

	private SimulatedRequest send(Kind kind, String path, Consumer<SimulatedRequest> onAnswer,
			@Nullable Consumer<EventType> onEvent) {
		// A replacement that fails is given up, and logged.
		if (kind != Kind.REPLACE && this.errorIn > 0 && --this.errorIn == 0) {
			this.servers.disturbances++;
			this.servers.errors++;
			this.errorIn = (--this.errors > 0) ? 1 : 0;
			throw new OutOfMemoryError("simulated");
		}
		SimulatedRequest request = new SimulatedRequest(kind, path, this.servers.acting, onAnswer, onEvent);
		this.unanswered++;
		if (this.closed) {
			if (this.draining || !this.events.isEmpty()) {
				answer(request, Code.SESSIONEXPIRED);
			}
			else {
				request.code = Code.SESSIONEXPIRED;
				answered(request);
			}
		}
		else if (this.connection != null) {
			this.connection.requests.add(request);
		}
		else {
			this.waiting.add(request);
		}
		return request;
	}

	@Override
	public long sessionId() {
		return (this.session != null) ? this.session.id : 0;
	}

	/** Do something on behalf of a contender, which may have waited for it. */
	private void as(int contender, Runnable action) {
		int before = this.servers.acting;
		this.servers.acting = contender;
		try {
			action.run();
		}
		finally {
			this.servers.acting = before;
		}
	}

	private void sendTogether(List<Op> ops, MultiCallback answer) {
		List<SimulatedRequest> parts = ops.stream().map(this.parts::remove).toList();
		SimulatedRequest multi = send(Kind.MULTI, this.servers.parent,
				(told) -> answer.processResult(told.code.intValue(), null, null, told.results()));
		multi.parts = parts;
	}

	private Op part(Op op, Kind kind, int contender) {
		this.parts.put(op, new SimulatedRequest(kind, op.getPath(), contender, (told) -> {
		}, null));
		return op;
	}

	/** Send behind the writes that wait. */
	private void sendBehind(Kind kind, String path, Consumer<SimulatedRequest> onAnswer, Consumer<Code> failed,
			@Nullable Consumer<EventType> onEvent) {
		int contender = this.servers.acting;
		this.writes.read(() -> as(contender, () -> send(kind, path, onAnswer, onEvent)),
				(code) -> as(contender, () -> failed.accept(code)));
	}

	@Override
	public void create(String path, byte[] data, List<ACL> acl, CreateMode mode, Creation answer) {
		if (mode != CreateMode.EPHEMERAL_SEQUENTIAL) {
			send(Kind.PARENT, path, (request) -> answer.created(request.code, null, null));
			return;
		}
		int contender = this.servers.acting;
		this.writes.create(path, () -> part(Op.create(path, data, acl, mode), Kind.CREATE, contender),
				(told) -> as(contender,
						() -> send(Kind.CREATE, path,
								(request) -> told.created(request.code, nameOf(request), request.stat()))),
				(code, name, stat) -> as(contender, () -> answer.created(code, name, stat)));
	}

	private @Nullable String nameOf(SimulatedRequest request) {
		return (request.stat() != null) ? this.servers.parent + "/" + request.node.name : null;
	}

	/**
	 * Make a node for readers with the number of another node, as a stock writer does.
	 */
	void downgrade(String path, Consumer<SimulatedRequest> onAnswer) {
		send(Kind.DOWNGRADE, path, onAnswer);
	}

	/** Ask the leader for anything that it agrees upon with its followers. */
	void beat(Consumer<Code> answer) {
		send(Kind.BEAT, "/", (request) -> answer.accept(request.code));
	}

	@Override
	public void list(String path, BiConsumer<Code, List<String>> answer) {
		list(path, answer, null);
	}

	@Override
	public void list(String path, BiConsumer<Code, List<String>> answer, @Nullable Consumer<EventType> onEvent) {
		int contender = this.servers.acting;
		this.writes.read(() -> as(contender, () -> {
			int refusals = this.writes.refusals();
			send(Kind.LIST, path, (request) -> {
				if (request.code == Code.OK && onEvent == null && refusals != this.writes.refusals()) {
					listAgain(path, answer);
				}
				else {
					answer.accept(request.code, request.names);
				}
			}, onEvent);
		}), (code) -> as(contender, () -> answer.accept(code, List.of())));
	}

	private void listAgain(String path, BiConsumer<Code, List<String>> answer) {
		try {
			list(path, answer, null);
		}
		catch (OutOfMemoryError ex) {
			answer.accept(Code.OPERATIONTIMEOUT, List.of());
		}
	}

	@Override
	public int maxChildren(int bytesOfName) {
		return Integer.MAX_VALUE;
	}

	@Override
	public int countOfLongList(String path) {
		// The servers of the simulation send lists of any length.
		return 0;
	}

	@Override
	public void stat(String path, BiConsumer<Code, @Nullable Stat> answer) {
		sendBehind(Kind.STAT, path, (request) -> answer.accept(request.code, request.stat()),
				(code) -> answer.accept(code, null), null);
	}

	@Override
	public void watch(String path, Consumer<Code> answer, Consumer<EventType> onEvent) {
		sendBehind(Kind.WATCH, path, (request) -> answer.accept(request.code), answer, onEvent);
	}

	@Override
	public void removeWatches(String path) {
		sendBehind(Kind.UNWATCH, path, (request) -> {
		}, (code) -> {
		}, null);
	}

	@Override
	public void check(String path, Consumer<Code> answer) {
		send(Kind.CHECK, path, (request) -> answer.accept(request.code));
	}

	@Override
	public void delete(String path, Consumer<Code> answer) {
		int contender = this.servers.acting;
		this.writes.delete(() -> part(Op.delete(path, -1), Kind.DELETE, contender),
				(told) -> as(contender,
						() -> send(Kind.DELETE, path, (request) -> told.created(request.code, null, null))),
				(code) -> as(contender, () -> answer.accept(code)));
	}

	@Override
	public void replace(String path, String by, byte[] data, List<ACL> acl, Consumer<Code> answer) {
		SimulatedRequest request = send(Kind.REPLACE, path, (answered) -> answer.accept(answered.code));
		request.by = MinHoldNode.parse(by.substring(by.lastIndexOf('/') + 1));
	}

	@Override
	public void sync(String path, Consumer<Code> answer) {
		send(Kind.SYNC, path, (request) -> answer.accept(request.code));
	}

}
