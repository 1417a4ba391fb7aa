package io.interlock.zookeeper.internal.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.jspecify.annotations.Nullable;

/**
 * An ensemble: the log of a leader, servers that have applied the start of it, sessions,
 * and the connections to them. A server answers reads from what it has applied, and a
 * session's requests in their order. The state of a server is a number, that of its last
 * transaction, because nodes know the transactions that made and deleted them.
 * <p>
 * Modelled is one lock, whose parent may be missing; everything above it is there. A
 * transaction is committed when the leader takes it. Not modelled: a new leader that
 * undoes a commit, a leader that has lost its followers, and permissions.
 */
final class SimulatedServers {

	/** A session lives for so many ticks without a word. */
	static final int SESSION_TICKS = 4;

	/** Owns the nodes that belong to no session. */
	private static final SimulatedSession NONE = new SimulatedSession(0, -1, -1, 0);

	/** What the servers' clock shows at first: as many digits as in our time. */
	private static final long EPOCH = 1_700_000_000_000L;

	final String parent;

	final int[] applied;

	final List<SimulatedNode> nodes = new ArrayList<>();

	final List<SimulatedSession> sessions = new ArrayList<>();

	final int[] counts = new int[SimulatedRequest.Kind.values().length];

	/** The time, in ticks. */
	int now;

	/** How many writes a client has under way before the next ones travel together. */
	int allowed = Integer.MAX_VALUE;

	/**
	 * Whether a client takes an event for all that its transaction has changed, and does
	 * not ask for the rest in its next connection. ZooKeeper's client does not, which
	 * matters where one transaction has two events.
	 */
	boolean eventsAreSeen = true;

	/** How often memory has ended. */
	int errors;

	/** How often a request or a connection has failed. */
	int disturbances;

	/** The contender on whose behalf the code under test runs now, or -1. */
	int acting = -1;

	private final Map<String, SimulatedNode> byPath = new HashMap<>();

	/**
	 * For each transaction the node that it changed or replaced, the session that it
	 * ended, or {@code null}.
	 */
	private final List<@Nullable Object> log = new ArrayList<>();

	/** Transactions that made and deleted the parent, in turn; it was there before. */
	private int[] parentChanges = {};

	private int sequence;

	SimulatedServers(int count, String parent) {
		this.parent = parent;
		this.applied = new int[count];
	}

	int zxid() {
		return this.log.size();
	}

	private int commit(@Nullable Object change) {
		this.log.add(change);
		return zxid();
	}

	boolean hasParent(int zxid) {
		int changes = 0;
		for (int change : this.parentChanges) {
			changes += (change <= zxid) ? 1 : 0;
		}
		return changes % 2 == 0;
	}

	/** Make or delete the parent, which makes sequence numbers start again. */
	void changeParent() {
		this.parentChanges = Arrays.copyOf(this.parentChanges, this.parentChanges.length + 1);
		this.parentChanges[this.parentChanges.length - 1] = commit(null);
		this.sequence = 0;
	}

	boolean isEmpty() {
		for (SimulatedNode node : this.nodes) {
			if (node.isThere()) {
				return false;
			}
		}
		return true;
	}

	void deleteByOperator(SimulatedNode node) {
		node.deletedByOperator = true;
		node.deletedAt = commit(node);
	}

	void change(SimulatedNode node) {
		node.changedAt = commit(node);
	}

	/** Begin a session: a transaction, which the server has applied when it answers. */
	SimulatedSession begin(int client, int server) {
		SimulatedSession session = new SimulatedSession(this.sessions.size() + 1, client, server, this.now);
		this.sessions.add(session);
		commit(null);
		while (this.applied[server] < zxid()) {
			apply(server);
		}
		return session;
	}

	/** Take a living session up at a server, which was made its owner by the leader. */
	SimulatedConnection connect(SimulatedSession session, int server) {
		if (session.server != server) {
			session.late.clear();
		}
		session.server = server;
		session.touchedAt = this.now;
		SimulatedConnection connection = new SimulatedConnection(session, server);
		session.connection = connection;
		return connection;
	}

	/**
	 * Break a connection.
	 * @param late number of the writes not yet taken that the server has received
	 */
	void cut(SimulatedConnection connection, int late) {
		SimulatedSession session = connection.session;
		session.connection = null;
		for (SimulatedRequest request : connection.requests) {
			if (session.alive && request.kind.isForLeader && !request.done && session.late.size() < late) {
				session.late.add(request);
			}
		}
	}

	void end(SimulatedSession session) {
		session.alive = false;
		session.late.clear();
		int zxid = commit(session);
		for (SimulatedNode node : this.nodes) {
			if (node.session == session && node.isThere()) {
				node.deletedAt = zxid;
			}
		}
	}

	/** Let the leader execute a write, or a {@code sync}. */
	void execute(SimulatedRequest request, SimulatedSession session) {
		session.touchedAt = this.now;
		request.done = true;
		this.counts[request.kind.ordinal()]++;
		if (request.fails) {
			request.code = Code.OPERATIONTIMEOUT;
		}
		else {
			switch (request.kind) {
				case CREATE -> create(request, session, this.sequence);
				case DOWNGRADE -> create(request, session, sequenceOf(request.path));
				case PARENT -> makeParent(request);
				case DELETE -> delete(request);
				case REPLACE -> replace(request);
				case CHECK -> check(request);
				case MULTI -> executeTogether(request, session);
				default -> {
				}
			}
			request.zxid = zxid();
		}
	}

	/** Execute a transaction: all of it, or nothing. */
	private void executeTogether(SimulatedRequest request, SimulatedSession session) {
		Set<String> deleted = new HashSet<>();
		for (SimulatedRequest part : request.parts) {
			boolean possible = (part.kind == SimulatedRequest.Kind.CREATE) ? hasParent(zxid())
					: find(part.path, zxid()) != null && deleted.add(part.path);
			if (!possible) {
				part.code = Code.NONODE;
				request.code = Code.NONODE;
			}
		}
		if (request.code == Code.OK) {
			request.parts.forEach((part) -> execute(part, session));
		}
	}

	private void create(SimulatedRequest request, SimulatedSession session, int number) {
		if (!hasParent(zxid())) {
			request.code = Code.NONODE;
			return;
		}
		String digits = Integer.toString(number);
		String prefix = (request.kind == SimulatedRequest.Kind.CREATE) ? request.path
				: request.path.substring(0, request.path.length() - 10);
		String path = prefix + "0000000000".substring(digits.length()) + digits;
		this.sequence += (request.kind == SimulatedRequest.Kind.CREATE) ? 1 : 0;
		SimulatedNode node = new SimulatedNode(path.substring(path.lastIndexOf('/') + 1), number, session,
				request.contender, zxid() + 1, time());
		node.ofLostHold = request.kind == SimulatedRequest.Kind.DOWNGRADE && this.nodes.stream()
			.noneMatch((writer) -> writer.contender == node.contender && writer.sequence == number && writer.isThere());
		commit(node);
		this.nodes.add(node);
		this.byPath.put(path, node);
		request.node = node;
	}

	/** Return the servers' clock, in milliseconds. It is far from that of instances. */
	long time() {
		return EPOCH + this.now * SimulatedEngine.TICK_MILLIS;
	}

	/** Replace a node in one transaction. */
	private void replace(SimulatedRequest request) {
		String by = this.parent + "/" + request.by.name();
		if (find(by, zxid()) != null) {
			request.code = Code.NODEEXISTS;
			return;
		}
		SimulatedNode node = find(request.path, zxid());
		if (node == null) {
			request.code = Code.NONODE;
			return;
		}
		SimulatedNode kept = new SimulatedNode(request.by.name(), Integer.MAX_VALUE, NONE, node.contender, zxid() + 1,
				time());
		node.deletedAt = zxid() + 1;
		node.deletedByRequest = true;
		commit(node);
		this.nodes.add(kept);
		this.byPath.put(by, kept);
	}

	private static int sequenceOf(String path) {
		return Integer.parseInt(path.substring(path.length() - 10));
	}

	private void makeParent(SimulatedRequest request) {
		if (hasParent(zxid())) {
			request.code = Code.NODEEXISTS;
		}
		else {
			changeParent();
		}
	}

	private void delete(SimulatedRequest request) {
		check(request);
		if (request.node != null) {
			SimulatedNode node = request.node;
			// Nothing tells for which contender a request is sent again.
			node.deletedByRequest = true;
			node.deletedTooEarly = request.contender >= 0 && node.contender != request.contender && node.keeps(time());
			request.node.deletedAt = zxid() + 1;
			commit(request.node);
		}
	}

	private void check(SimulatedRequest request) {
		request.node = find(request.path, zxid());
		request.code = (request.node != null) ? Code.OK : Code.NONODE;
	}

	/** Return the node that has or had a path. */
	@Nullable SimulatedNode known(String path) {
		return this.byPath.get(path);
	}

	@Nullable SimulatedNode find(String path, int zxid) {
		SimulatedNode node = this.byPath.get(path);
		return (node != null && node.isThere(zxid)) ? node : null;
	}

	/** Return whether the server can answer the oldest request of a connection. */
	boolean canAnswer(SimulatedConnection connection) {
		if (connection.requests.isEmpty()) {
			return false;
		}
		SimulatedRequest first = connection.requests.get(0);
		return !first.kind.isForLeader || (first.done && this.applied[connection.server] >= first.zxid);
	}

	void answer(SimulatedConnection connection) {
		SimulatedRequest request = connection.removeFirst();
		if (request.kind.isForLeader) {
			if (request.fails) {
				request.code = Code.OPERATIONTIMEOUT;
			}
		}
		else {
			this.counts[request.kind.ordinal()]++;
			request.zxid = this.applied[connection.server];
			read(connection, request);
		}
		this.disturbances += request.fails ? 1 : 0;
		connection.sent.add(request);
	}

	private void read(SimulatedConnection connection, SimulatedRequest request) {
		if (request.fails) {
			request.code = Code.OPERATIONTIMEOUT;
		}
		else if (request.kind == SimulatedRequest.Kind.LIST) {
			list(connection, request);
		}
		else if (request.kind == SimulatedRequest.Kind.UNWATCH) {
			request.code = connection.watches.remove(request.path) ? Code.OK : Code.NOWATCHER;
		}
		else {
			request.node = find(request.path, request.zxid);
			request.code = (request.node != null) ? Code.OK : Code.NONODE;
			if (request.leavesWatch() && !connection.watches.contains(request.path)) {
				connection.watches.add(request.path);
			}
		}
	}

	private void list(SimulatedConnection connection, SimulatedRequest request) {
		if (!hasParent(request.zxid)) {
			request.code = Code.NONODE;
			return;
		}
		List<String> names = new ArrayList<>();
		for (SimulatedNode node : this.nodes) {
			if (node.isThere(request.zxid)) {
				names.add(node.name);
			}
		}
		request.names = names;
		connection.watchesChildren |= request.onEvent != null;
	}

	/** Let a server apply its next transaction, and tell those that watch. */
	void apply(int server) {
		int zxid = ++this.applied[server];
		Object change = this.log.get(zxid - 1);
		boolean parentGone = change == null && hasParent(zxid - 1) && !hasParent(zxid);
		for (SimulatedSession session : this.sessions) {
			SimulatedConnection connection = session.connection;
			if (connection != null && connection.server == server) {
				if (change instanceof SimulatedNode node) {
					fire(connection, node, zxid);
				}
				else if (change instanceof SimulatedSession ended) {
					fireAll(connection, ended, zxid);
				}
				else if (parentGone) {
					fireChildren(connection, EventType.NodeDeleted, zxid);
				}
			}
		}
	}

	private void fireAll(SimulatedConnection connection, SimulatedSession ended, int zxid) {
		for (SimulatedNode node : this.nodes) {
			if (node.session == ended && node.deletedAt == zxid) {
				fire(connection, node, zxid);
			}
		}
	}

	private void fire(SimulatedConnection connection, SimulatedNode node, int zxid) {
		if (node.createdAt != zxid && !connection.watches.isEmpty()) {
			String path = this.parent + "/" + node.name;
			if (connection.watches.remove(path)) {
				EventType type = (node.deletedAt == zxid) ? EventType.NodeDeleted : EventType.NodeDataChanged;
				connection.sent.add(new SimulatedMessage.NodeEvent(type, path, zxid, List.of()));
			}
		}
		if (node.changedAt != zxid) {
			fireChildren(connection, EventType.NodeChildrenChanged, zxid);
		}
	}

	private void fireChildren(SimulatedConnection connection, EventType type, int zxid) {
		if (connection.watchesChildren) {
			connection.watchesChildren = false;
			connection.sent.add(new SimulatedMessage.NodeEvent(type, this.parent, zxid, List.of()));
		}
	}

	/**
	 * Set the watches of a client again on a new connection: what has changed since the
	 * client's last news is told at once.
	 * @param seen the newest transaction that the client knows of
	 */
	void watchAgain(SimulatedConnection connection, Iterable<String> paths, int seen) {
		int zxid = this.applied[connection.server];
		for (String path : paths) {
			if (path.equals(this.parent)) {
				watchChildrenAgain(connection, zxid, seen);
				continue;
			}
			SimulatedNode node = find(path, zxid);
			if (node == null) {
				connection.sent.add(new SimulatedMessage.NodeEvent(EventType.NodeDeleted, path, zxid, List.of()));
			}
			else if (node.changedAt <= zxid && node.changedAt > seen) {
				connection.sent.add(new SimulatedMessage.NodeEvent(EventType.NodeDataChanged, path, zxid, List.of()));
			}
			else {
				connection.watches.add(path);
			}
		}
	}

	private void watchChildrenAgain(SimulatedConnection connection, int zxid, int seen) {
		boolean changed = false;
		for (SimulatedNode node : this.nodes) {
			changed |= (node.createdAt <= zxid && node.createdAt > seen)
					|| (node.deletedAt <= zxid && node.deletedAt > seen);
		}
		if (!hasParent(zxid)) {
			connection.sent.add(new SimulatedMessage.NodeEvent(EventType.NodeDeleted, this.parent, zxid, List.of()));
		}
		else if (changed) {
			connection.sent
				.add(new SimulatedMessage.NodeEvent(EventType.NodeChildrenChanged, this.parent, zxid, List.of()));
		}
		else {
			connection.watchesChildren = true;
		}
	}

}
