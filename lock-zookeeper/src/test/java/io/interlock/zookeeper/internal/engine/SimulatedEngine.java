package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.interlock.LockRequest;
import io.interlock.provider.LockProvider;
import io.interlock.zookeeper.Peers;
import io.interlock.zookeeper.Recipe;
import io.interlock.zookeeper.SessionSnapshot.State;
import io.interlock.zookeeper.internal.node.LockParent;
import io.interlock.zookeeper.internal.node.LockPaths;
import io.interlock.zookeeper.internal.node.NodeName;
import io.interlock.zookeeper.internal.node.OwnerRecord;
import io.interlock.zookeeper.internal.session.ClientClosedException;
import io.interlock.zookeeper.internal.session.SessionLease;
import io.interlock.zookeeper.internal.session.SessionStatus;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.jspecify.annotations.Nullable;

/**
 * One instance: what {@link ZooKeeperEngine}, the session monitor and the lease keeper
 * do, without threads and with the clock of the simulation. The lease, the status and the
 * deletions are real. As with Curator, a session that is over is followed by another
 * handle, and nothing of the old handle counts as news of the connection any more. Not
 * modelled: news of the connection that Curator tells twice.
 */
final class SimulatedEngine implements Engine {

	static final String ROOT = "/interlock";

	private static final Duration TIMEOUT = Duration.ofSeconds(8);

	static final long TICK_MILLIS = TIMEOUT.toMillis() / SimulatedServers.SESSION_TICKS;

	private static final ZooKeeperLockSettings SETTINGS = new ZooKeeperLockSettings(ROOT, "simulated",
			Duration.ofSeconds(1), Recipe.PIPELINED, Map.of("readWrite", Peers.READ_WRITE), false);

	private static final LockPaths PATHS = new LockPaths(ROOT);

	private static final OwnerRecord RECORDS = new OwnerRecord("simulated", OwnerRecord.Details.NONE,
			OwnerRecord.LockData.NONE);

	private final SimulatedServers servers;

	private final int client;

	private final boolean stateFirst;

	/** All handles, the current one last. */
	final List<SimulatedHandle> handles = new ArrayList<>(2);

	private final NodeName.Prefixes names;

	private final Deletions deletions = new Deletions(this, () -> {
	});

	final TakenLocks taken = new TakenLocks();

	private final List<Entry<Attempt>> attempts = new ArrayList<>();

	private final List<Entry<NodeGrant>> holds = new ArrayList<>();

	private SessionStatus status = SessionStatus.initial();

	private @Nullable SimulatedHandle connected;

	private int beatAt = -1;

	/** Uses of the lock that have not ended. */
	private int users;

	private boolean closing;

	private boolean ended;

	SimulatedEngine(SimulatedServers servers, int client, boolean stateFirst) {
		this.servers = servers;
		this.client = client;
		this.stateFirst = stateFirst;
		this.names = new NodeName.Prefixes(client);
		addHandle();
	}

	private void addHandle() {
		SimulatedHandle[] handle = new SimulatedHandle[1];
		handle[0] = new SimulatedHandle(this.servers, this.client, this.stateFirst,
				(state) -> stateChanged(handle[0], state));
		this.handles.add(handle[0]);
	}

	SimulatedHandle current() {
		return this.handles.get(this.handles.size() - 1);
	}

	/**
	 * Give up the session while the servers may still keep it. Curator counts its handles
	 * first, closes the old one, and tells of the session when the next one is there.
	 */
	void drop() {
		SimulatedHandle old = current();
		addHandle();
		old.close();
	}

	private void stateChanged(SimulatedHandle handle, KeeperState state) {
		if (handle != current()) {
			return;
		}
		if (state == KeeperState.Expired) {
			addHandle();
		}
		if (!refresh()) {
			if (state == KeeperState.Expired) {
				leave(State.LOST);
			}
			else if (state == KeeperState.Disconnected) {
				leave(State.SUSPENDED);
			}
		}
	}

	private boolean refresh() {
		SimulatedHandle handle = current();
		if (handle.connection == null || handle.session == null || this.status.isClosed()) {
			return false;
		}
		SessionLease before = this.status.lease();
		SessionLease lease = (before != null) ? before.continuedBy(handle.sessionId(), TIMEOUT)
				: new SessionLease(handle.sessionId(), TIMEOUT, 0);
		if (this.status.isConnected() && lease == before) {
			return true;
		}
		lease.resumed(now());
		this.status = this.status.connected(lease, this.handles.size(), null);
		this.connected = handle;
		if (before != null && lease != before) {
			sessionLost(before);
		}
		tellStates();
		this.deletions.resume();
		resumeAttempts();
		return true;
	}

	private void leave(State state) {
		SessionLease before = this.status.lease();
		if (this.status.state() == state || this.status.isClosed() || (before == null && state != State.CLOSED)) {
			return;
		}
		this.status = this.status.left(state);
		if (before != null && state != State.SUSPENDED) {
			sessionLost(before);
		}
		tellStates();
	}

	private void tellStates() {
		for (Entry<NodeGrant> entry : List.copyOf(this.holds)) {
			onBehalfOf(entry.contender(), entry.value()::tellState);
		}
	}

	/** Begin to stop, as the provider does: refuse attempts, and end the holds. */
	void close() {
		this.closing = true;
		for (Entry<Attempt> entry : List.copyOf(this.attempts)) {
			onBehalfOf(entry.contender(),
					() -> entry.value().fail(ProviderFailures.closed(entry.value().request().id())));
		}
		for (Entry<NodeGrant> entry : List.copyOf(this.holds)) {
			this.holds.remove(entry);
			onBehalfOf(entry.contender(), () -> {
				entry.value().lose();
				entry.value().end();
			});
		}
		endWhenDone();
	}

	/** End, if nothing is owed any more. The client goes on. */
	void endWhenDone() {
		if (this.closing && !this.ended && this.deletions.pending() == 0) {
			this.ended = true;
			leave(State.CLOSED);
			this.deletions.resume();
		}
	}

	/** Let the application close the client, which ends its session. */
	void closeClient() {
		leave(State.CLOSED);
		SimulatedHandle handle = current();
		handle.close();
		if (handle.session != null && handle.session.alive) {
			this.servers.end(handle.session);
		}
	}

	/** Return what begins attempts, as the provider does. */
	LockProvider provider() {
		return (request, owner) -> {
			NodeAttempt attempt = new NodeAttempt(request, owner, this, this.taken,
					!Duration.ZERO.equals(request.waitTime()));
			begin(attempt);
			return attempt;
		};
	}

	void begin(NodeAttempt attempt) {
		if (this.closing) {
			attempt.outcome().completeExceptionally(ProviderFailures.closed(attempt.request().id()));
		}
		else {
			attempt.start();
		}
	}

	boolean isClosing() {
		return this.closing;
	}

	private void sessionLost(SessionLease lease) {
		loseAll((hold) -> hold.lease() == lease);
	}

	private void loseAll(Predicate<NodeGrant> which) {
		for (Entry<NodeGrant> entry : List.copyOf(this.holds)) {
			if (which.test(entry.value())) {
				this.holds.remove(entry);
				onBehalfOf(entry.contender(), entry.value()::lose);
			}
		}
	}

	private void resumeAttempts() {
		for (Entry<Attempt> entry : List.copyOf(this.attempts)) {
			onBehalfOf(entry.contender(), entry.value()::resume);
		}
	}

	/** Run an action whose requests are those of a contender. */
	void onBehalfOf(int contender, Runnable action) {
		int before = this.servers.acting;
		this.servers.acting = contender;
		try {
			action.run();
		}
		finally {
			this.servers.acting = before;
		}
	}

	/** Do what the timer of the lease keeper does, which survives all that it runs. */
	void look() {
		endWhenDone();
		if (this.ended) {
			return;
		}
		SessionLease lease = this.status.lease();
		if (lease != null) {
			loseAll((hold) -> hold.isLost() || (hold.lease() == lease && lease.isOver(now())));
			tellStates();
			if (this.status.isConnected()) {
				beatWhenDue(lease);
				for (Entry<NodeGrant> entry : List.copyOf(this.holds)) {
					onBehalfOf(entry.contender(), () -> entry.value().tick(now()));
				}
			}
		}
		if (!this.status.isConnected()) {
			refresh();
		}
		this.deletions.resume();
		resumeAttempts();
	}

	private void beatWhenDue(SessionLease lease) {
		SimulatedHandle handle = current();
		if (this.beatAt == this.servers.now || lease.isYoung(now(), lease.busyBeatNanos()) || handle.connection == null
				|| handle.sessionId() != lease.sessionId()) {
			return;
		}
		this.beatAt = this.servers.now;
		long sentAt = now();
		handle.beat((code) -> {
			if (code == Code.OK) {
				lease.confirmed(sentAt, now());
			}
		});
	}

	boolean isBusy() {
		boolean busy = this.deletions.pending() > 0;
		for (SimulatedHandle handle : this.handles) {
			busy |= handle.unanswered > 0;
		}
		return busy;
	}

	/** Return whether nothing is under way or owed. */
	boolean isIdle() {
		return this.status.isConnected() && !isBusy() && !this.deletions.isWaiting();
	}

	/**
	 * Return what is in the books, each with the number of contenders that need it, if
	 * some differ. A stop ends the holds, and not those that are kept or lost.
	 */
	String books(int waiting, int held, int used) {
		boolean balanced = this.attempts.size() == waiting && this.holds.size() == held
				&& (this.users == used || (this.closing && this.users >= 0 && this.users <= used))
				&& this.deletions.pending() == 0 && !this.deletions.isWaiting();
		return balanced ? ""
				: "%d attempts of %d, %d holds of %d, %d users of %d, %d deletions%s".formatted(this.attempts.size(),
						waiting, this.holds.size(), held, this.users, used, this.deletions.pending(),
						this.deletions.isWaiting() ? " and requests that wait" : "");
	}

	@Override
	public long now() {
		return TimeUnit.MILLISECONDS.toNanos(this.servers.now * TICK_MILLIS);
	}

	@Override
	public SessionStatus status() {
		return this.status;
	}

	@Override
	public boolean isGood(SessionLease session) {
		return this.status.isConnected() && covers(session) && session.isSteady();
	}

	@Override
	public boolean covers(SessionLease session) {
		return session.isGood(now()) && !this.status.hasEnded(session, this.handles.size());
	}

	@Override
	public boolean hasEnded(SessionLease session) {
		return this.status.hasEnded(session, this.handles.size()) || session.isOver(now());
	}

	@Override
	public @Nullable Requests requests() {
		if (this.status.isClosed()) {
			throw new ClientClosedException();
		}
		return this.status.isConnected() ? this.connected : null;
	}

	@Override
	public @Nullable Requests anyRequests() {
		return this.connected;
	}

	@Override
	public void create(Requests requests, String path, byte[] data, CreateMode mode, Requests.Creation answer) {
		requests.create(path, data, List.of(), mode, answer);
	}

	@Override
	public void replace(Requests requests, String path, String by, byte[] data, Consumer<Code> answer) {
		requests.replace(path, by, data, List.of(), answer);
	}

	@Override
	public void add(Attempt attempt, String lockPath) {
		this.users++;
		this.attempts.add(new Entry<>(this.servers.acting, attempt));
	}

	@Override
	public void remove(Attempt attempt) {
		this.attempts.removeIf((entry) -> entry.value() == attempt);
	}

	@Override
	public void register(NodeGrant hold) {
		this.holds.add(new Entry<>(this.servers.acting, hold));
		if (this.status.lease() != hold.lease()) {
			deregister(hold);
			hold.lose();
		}
	}

	@Override
	public void deregister(NodeGrant hold) {
		this.holds.removeIf((entry) -> entry.value() == hold);
	}

	@Override
	public void endUse(String lockPath) {
		// Parents that this instance deletes are not modelled: servers delete them too.
		this.users--;
	}

	@Override
	public void makeWithRoot(LockParent parent, Consumer<@Nullable Throwable> answer) {
		throw new IllegalStateException("Everything above a lock is there");
	}

	@Override
	public void verify(List<NodeGrant> holds) {
		throw new UnsupportedOperationException("A verification waits");
	}

	@Override
	public void tell(Runnable news) {
		news.run();
	}

	@Override
	public void disagree(LockRequest request, int otherPermits) {
		// All instances agree.
	}

	@Override
	public void ignore(String path) {
		throw new IllegalStateException("No instance keeps a lock for too long: " + path);
	}

	@Override
	public String absolute(String path) {
		return path;
	}

	@Override
	public ZooKeeperLockSettings settings() {
		return SETTINGS;
	}

	@Override
	public LockPaths paths() {
		return PATHS;
	}

	@Override
	public NodeName.Prefixes names() {
		return this.names;
	}

	@Override
	public OwnerRecord ownerRecords() {
		return RECORDS;
	}

	@Override
	public Deletions deletions() {
		return this.deletions;
	}

	/**
	 * What belongs to a contender.
	 */
	private record Entry<T>(int contender, T value) {
	}

}
