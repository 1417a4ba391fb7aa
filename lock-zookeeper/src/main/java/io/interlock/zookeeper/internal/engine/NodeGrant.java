package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.provider.AbstractLockGrant;
import io.interlock.provider.LockGrant;
import io.interlock.zookeeper.ZooKeeperGrant;
import io.interlock.zookeeper.internal.engine.Deletions.Result;
import io.interlock.zookeeper.internal.node.LockNode;
import io.interlock.zookeeper.internal.node.MinHoldNode;
import io.interlock.zookeeper.internal.session.SessionKeeper.LeasedGrant;
import io.interlock.zookeeper.internal.session.SessionLease;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.jspecify.annotations.Nullable;

/**
 * A hold: one node in first place. Invariants: {@code released} and {@code lost} are set
 * once and never taken back; the listener is told of a loss once, unless the grant was
 * released before. From the moment at which the hold is kept, only the servers' answer
 * says whether it is lost: the session does not count any more.
 */
final class NodeGrant extends AbstractLockGrant implements ZooKeeperGrant, LeasedGrant {

	private static final long WATCHED_AFTER_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final LockRequest request;

	private final boolean contended;

	private final LockNode node;

	private final SessionLease lease;

	private final Engine engine;

	private final NodeWatch watch;

	private final long startedAt;

	private volatile @Nullable String swept;

	private final AtomicBoolean released = new AtomicBoolean();

	private volatile boolean lost;

	private volatile @Nullable NodeMinHold keeping;

	NodeGrant(LockRequest request, boolean contended, LockNode node, SessionLease lease, Engine engine,
			@Nullable NodeWatch watch) {
		this.request = request;
		this.contended = contended;
		this.node = node;
		this.lease = lease;
		this.engine = engine;
		this.watch = (watch != null) ? watch : new NodeWatch(node.path(), this::lose);
		this.startedAt = engine.now();
	}

	@Override
	public SessionLease lease() {
		return this.lease;
	}

	LockNode node() {
		return this.node;
	}

	@Override
	public String nodePath() {
		return this.engine.absolute(this.node.path());
	}

	/**
	 * Delete other nodes of the same attempt too when this hold ends: the answer to a
	 * creation was lost, and what it made may have come late.
	 */
	void sweep(String prefix) {
		this.swept = prefix;
	}

	/**
	 * Watch the node of an old hold. Short holds are not worth the request: most are over
	 * before it would be answered.
	 */
	@Override
	public void tick(long now) {
		Requests requests = (now - this.startedAt >= WATCHED_AFTER_NANOS && this.engine.status().isConnected())
				? this.engine.anyRequests() : null;
		if (requests != null) {
			this.watch.set(requests);
		}
	}

	@Override
	public boolean isLost() {
		return state() == LockState.LOST;
	}

	@Override
	public void lose() {
		if (this.keeping == null) {
			loseForGood();
		}
	}

	private void loseForGood() {
		if (!this.released.get()) {
			this.lost = true;
			tellState();
		}
	}

	@Override
	public void tellState() {
		LockState state = state();
		if (isNews(state)) {
			this.engine.tell(() -> tell(state));
		}
	}

	@Override
	public void onStateChange(Consumer<LockState> listener) {
		tell(state());
		super.onStateChange(listener);
	}

	@Override
	public LockRequest request() {
		return this.request;
	}

	@Override
	public boolean contended() {
		return this.contended;
	}

	@Override
	public long fencingToken() {
		return this.node.czxid();
	}

	@Override
	public LockState state() {
		if (!this.released.get() && this.keeping == null && this.engine.hasEnded(this.lease)) {
			// Final: a late answer may make the lease good again, but not this hold. The
			// keeper tells the holder.
			this.lost = true;
		}
		if (this.lost) {
			return LockState.LOST;
		}
		if (this.released.get()) {
			return LockState.RELEASED;
		}
		return (this.keeping != null || this.engine.isGood(this.lease)) ? LockState.VALID : LockState.UNCONFIRMED;
	}

	@Override
	public boolean isCovered() {
		return !this.released.get() && !this.lost && (this.keeping != null || this.engine.covers(this.lease));
	}

	@Override
	public void verify() {
		verifyWith(List.of());
	}

	@Override
	public void verifyWith(List<? extends LockGrant> others) {
		List<NodeGrant> holds = new ArrayList<>(List.of(this));
		others.stream().filter(this::isVerifiedWith).map(NodeGrant.class::cast).forEach(holds::add);
		holds.forEach(NodeGrant::throwIfReleased);
		this.engine.verify(holds);
		others.stream().filter((other) -> !isVerifiedWith(other)).forEach(LockGrant::verify);
	}

	private boolean isVerifiedWith(LockGrant other) {
		return other instanceof NodeGrant hold && hold.engine == this.engine;
	}

	void throwIfReleased() {
		if ((this.released.get() || this.keeping != null) && !isLost()) {
			throw new IllegalStateException("Lock %s was released already".formatted(this.request.id()));
		}
	}

	@Override
	public void end() {
		release();
	}

	@Override
	public CompletableFuture<Boolean> keep(Duration rest) {
		if (isLost() || !MinHoldNode.mayFollow(this.node.name())) {
			return CompletableFuture.completedFuture(false);
		}
		NodeMinHold keeping = new NodeMinHold(this.node, this.request.id(), rest, this.engine, this::loseForGood);
		synchronized (this) {
			if (this.released.get()) {
				return CompletableFuture.completedFuture(false);
			}
			this.keeping = keeping;
		}
		this.engine.deregister(this);
		return keeping.begin().thenApply(this::isKept);
	}

	private boolean isKept(Result result) {
		if (result == Result.REFUSED) {
			keepHere();
		}
		else if (result != Result.DELETED) {
			loseForGood();
		}
		return result == Result.DELETED;
	}

	/** Hold the lock by the session again. */
	private synchronized void keepHere() {
		if (!this.released.get()) {
			this.keeping = null;
			this.engine.register(this);
		}
	}

	@Override
	public CompletableFuture<LockState> release() {
		if (isLost()) {
			this.lost = true;
		}
		boolean lostBefore = this.lost;
		synchronized (this) {
			if (!this.released.compareAndSet(false, true)) {
				return CompletableFuture.completedFuture(state());
			}
		}
		this.engine.deregister(this);
		CompletableFuture<LockState> answer = new CompletableFuture<>();
		delete(answer);
		return lostBefore ? CompletableFuture.completedFuture(LockState.LOST) : answer;
	}

	private void delete(CompletableFuture<LockState> answer) {
		NodeMinHold keeping = this.keeping;
		CompletableFuture<Result> gone = (keeping != null) ? keeping.end()
				: this.engine.deletions().delete(this.node.path());
		gone.whenComplete((result, failure) -> {
			if (result == Result.GONE_BEFORE) {
				this.engine.tell(() -> answer.complete(LockState.LOST));
			}
			else {
				answer.complete(LockState.RELEASED);
			}
		});
		gone.whenComplete((result, failure) -> this.engine.endUse(this.node.lockPath()));
		String others = this.swept;
		if (others != null) {
			this.engine.deletions().deleteAll(this.node.lockPath(), others);
		}
	}

	/**
	 * Watch the queue for other contenders. If it has none, its first change is the
	 * arrival of one, or the deletion of the own node, which uses the watch up.
	 */
	@Override
	public void onContention(Runnable action) {
		Requests requests = this.engine.anyRequests();
		if (requests == null) {
			action.run();
			return;
		}
		AtomicBoolean first = new AtomicBoolean(true);
		Runnable once = () -> {
			if (first.getAndSet(false) && !this.released.get()) {
				action.run();
			}
		};
		requests.list(this.node.lockPath(), (code, names) -> {
			if (code != Code.OK || names.stream().anyMatch((name) -> !name.equals(this.node.name()))) {
				once.run();
			}
		}, (event) -> {
			if (event == EventType.NodeChildrenChanged) {
				once.run();
			}
		});
	}

	@Override
	public String toString() {
		return this.request.mode() + " " + this.request.id() + " at " + this.node.path();
	}

}
