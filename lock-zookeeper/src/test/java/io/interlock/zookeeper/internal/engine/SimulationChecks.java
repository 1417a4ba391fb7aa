package io.interlock.zookeeper.internal.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.interlock.LockMode;
import io.interlock.LockState;
import org.jspecify.annotations.Nullable;

/**
 * What must be true in each schedule. The leader's state is the truth, and a hold counts
 * for as long as its holder may act on it. A hold whose node an operator has deleted does
 * not count: the holder learns of it a moment later, and nothing can prevent that. Nor
 * does the node that a stock writer makes to become a reader after that.
 */
final class SimulationChecks {

	private static final int LATE_TICKS = 10;

	private final SimulatedServers servers;

	private final List<SimulatedContender> contenders;

	private final List<SimulatedEngine> engines = new ArrayList<>(3);

	private final boolean asks;

	private long newestToken;

	private long newestExclusiveToken;

	private @Nullable String violation;

	private int grants;

	private int arrivals;

	SimulationChecks(SimulatedServers servers, List<SimulatedContender> contenders) {
		this(servers, contenders, false);
	}

	/**
	 * Create checks.
	 * @param asks whether holders ask to be told of others in the queue
	 */
	SimulationChecks(SimulatedServers servers, List<SimulatedContender> contenders, boolean asks) {
		this.asks = asks;
		this.servers = servers;
		this.contenders = contenders;
	}

	void add(SimulatedEngine engine) {
		this.engines.add(engine);
	}

	void violated(String violation) {
		if (this.violation == null) {
			this.violation = violation;
		}
	}

	@Nullable String violation() {
		return this.violation;
	}

	boolean asksForContention() {
		return this.asks;
	}

	int grants() {
		return this.grants;
	}

	/** Return the number of a caller that comes to the queue of its instance. */
	int arrive() {
		return ++this.arrivals;
	}

	@Nullable SimulatedNode nodeOf(NodeGrant grant) {
		return this.servers.known(grant.nodePath());
	}

	long time() {
		return this.servers.time();
	}

	/**
	 * Return whether a node may still keep contenders waiting. They count time from the
	 * answers to their creations, which may come late.
	 */
	boolean isAnyKept() {
		for (SimulatedNode node : this.servers.nodes) {
			if (node.keeps(this.servers.time() - LATE_TICKS * SimulatedEngine.TICK_MILLIS)) {
				return true;
			}
		}
		return false;
	}

	// At each grant

	void granted(PipelinedContender contender) {
		SimulatedNode node = contender.held();
		this.grants++;
		if (node == null) {
			violated("grant without a node: " + contender);
			return;
		}
		if (!node.session.alive) {
			violated("grant in an ended session: %s with %s".formatted(contender, node));
		}
		else if (!node.isThere()) {
			checkGone(contender, node);
		}
		else {
			checkPlace(contender, node);
			checkToken(contender, node);
		}
		granted(contender, node);
	}

	/** Note a grant that may have been handed over, so that its node may be gone. */
	void granted(QueuedContender contender) {
		SimulatedNode node = contender.held();
		this.grants++;
		for (SimulatedContender other : this.contenders) {
			if (other instanceof QueuedContender earlier && earlier.waitsBefore(contender)) {
				violated("overtaken in its instance: %s by %s".formatted(earlier, contender));
			}
		}
		if (node == null) {
			violated("grant without a node: " + contender);
			return;
		}
		if (node.mode == LockMode.EXCLUSIVE && node.counts()) {
			if (contender.token() < this.newestToken) {
				violated("token does not grow: %s has %d after %d".formatted(contender, contender.token(),
						this.newestToken));
			}
			this.newestToken = contender.token();
		}
		granted((SimulatedContender) contender, node);
	}

	void granted(StockContender contender) {
		granted(contender, contender.held());
	}

	private void checkGone(PipelinedContender contender, SimulatedNode node) {
		if (!node.deletedByOperator) {
			violated("grant on a node that its instance has deleted: %s with %s".formatted(contender, node));
		}
		else if (node.deletedAt <= processed(node.session)) {
			violated("grant on a node that was gone before: %s with %s".formatted(contender, node));
		}
	}

	private int processed(SimulatedSession session) {
		int processed = 0;
		for (SimulatedEngine engine : this.engines) {
			for (SimulatedHandle handle : engine.handles) {
				processed = (handle.session == session) ? handle.processed : processed;
			}
		}
		return processed;
	}

	private void checkPlace(PipelinedContender contender, SimulatedNode node) {
		int before = 0;
		for (SimulatedNode other : this.servers.nodes) {
			boolean own = other.contender == node.contender && other.session == node.session;
			if (own && other.createdAt < node.createdAt && !other.isThere() && !other.deletedByOperator) {
				violated("place given up: %s with %s, and had %s".formatted(contender, node, other));
			}
			if (other.isThere() && other != node && other.sequence <= node.sequence) {
				before++;
				if (own && !isBusy(node)) {
					violated("place lost: %s with %s, and %s is its node too".formatted(contender, node, other));
				}
				else if (other.excludes(node) && !other.ofLostHold) {
					violated("overtaken: %s with %s, and %s is before it".formatted(contender, node, other));
				}
			}
		}
		if (node.mode == LockMode.PERMIT && before >= contender.request.permits()) {
			violated("too many permits: %s with %s".formatted(contender, node));
		}
	}

	/** Return whether deletions are under way in the instance of a node. */
	private boolean isBusy(SimulatedNode node) {
		return this.engines.get(node.session.client).deletions().pending() > 0;
	}

	private void checkToken(PipelinedContender contender, SimulatedNode node) {
		long token = contender.grant.fencingToken();
		long before = (node.mode == LockMode.EXCLUSIVE) ? this.newestToken : this.newestExclusiveToken;
		if (token <= before && node.mode != LockMode.PERMIT) {
			violated("token does not grow: %s has %d after %d".formatted(contender, token, before));
		}
		this.newestToken = Math.max(this.newestToken, token);
		if (node.mode == LockMode.EXCLUSIVE) {
			this.newestExclusiveToken = token;
		}
	}

	private void granted(SimulatedContender contender, SimulatedNode node) {
		if (!node.counts()) {
			return;
		}
		int permits = 1 + ((contender instanceof PipelinedContender) ? checkKept(contender, node) : 0);
		for (SimulatedContender other : this.contenders) {
			SimulatedNode held = (other != contender && other.claims()) ? other.held() : null;
			if (held != null && held.counts()) {
				permits++;
				if (excludes(other, held, contender, node)) {
					violated("two holders: %s with %s, and %s with %s".formatted(contender, node, other, held));
				}
			}
		}
		if (contender instanceof PipelinedContender ours && node.mode == LockMode.PERMIT
				&& permits > ours.request.permits()) {
			violated("more holders than permits: %s with %s".formatted(contender, node));
		}
	}

	private static boolean excludes(SimulatedContender other, SimulatedNode held, SimulatedContender contender,
			SimulatedNode node) {
		LockMode mode = contender.mode();
		return (held != node || mode == null) ? held.excludes(node) : mode.excludes(other.mode());
	}

	/**
	 * Check that no node keeps the lock from a contender.
	 * @return how many permits are kept
	 */
	private int checkKept(SimulatedContender contender, SimulatedNode node) {
		int permits = 0;
		for (SimulatedNode other : this.servers.nodes) {
			if (other.keeps(this.servers.time())) {
				permits++;
				if (other.excludes(node)) {
					violated("kept lock granted: %s with %s, and %s keeps it".formatted(contender, node, other));
				}
			}
		}
		return permits;
	}

	private void checkKept(SimulatedNode node) {
		PipelinedContender keeper = (PipelinedContender) this.contenders.get(node.contender);
		if (keeper.engine.isClosing()) {
			return;
		}
		if (node.kept.end() < keeper.keptUntil) {
			violated("kept too short: %s of %s".formatted(node, keeper));
		}
		if (node.isThere() && keeper.grant.isLost()) {
			violated("told of a loss, and the lock is kept: %s of %s".formatted(node, keeper));
		}
		if (node.deletedTooEarly) {
			violated("deleted too early: %s of %s".formatted(node, keeper));
		}
	}

	// At each failure, loss and release

	/** Check that an attempt fails only of an error, or because its instance stops. */
	void failed(SimulatedContender contender, Throwable failure) {
		Throwable cause = failure.getCause();
		if (!this.engines.get(contender.client).isClosing() && !(cause instanceof OutOfMemoryError)) {
			violated("attempt failed: %s: %s".formatted(contender, failure));
		}
	}

	int oldestState() {
		int oldest = Integer.MAX_VALUE;
		for (int applied : this.servers.applied) {
			oldest = Math.min(oldest, applied);
		}
		return oldest;
	}

	/**
	 * Check that a try was refused because of others, as a server may have shown them.
	 * @param seenAtStart what all servers had applied before
	 */
	void refused(PipelinedContender contender, int seenAtStart) {
		int others = 0;
		for (SimulatedNode node : this.servers.nodes) {
			if (node.contender != contender.number && (node.isThere() || node.deletedAt > seenAtStart)) {
				if (node.mode.excludes(contender.request.mode())) {
					return;
				}
				others++;
			}
		}
		if (contender.request.mode() != LockMode.PERMIT || others < contender.request.permits()) {
			violated("refused for nothing: %s".formatted(contender));
		}
	}

	/** Check what a holder is told of the time for which its lock stays taken. */
	void kept(PipelinedContender contender, boolean kept) {
		if (contender.isReleased() || contender.engine.isClosing()) {
			return;
		}
		boolean replaced = this.servers.nodes.stream()
			.anyMatch((node) -> node.kept != null && node.contender == contender.number && (kept || node.isThere()));
		SimulatedNode node = contender.held();
		if (kept != replaced) {
			violated("told that it is kept: %s of %s".formatted(kept, contender));
		}
		else if (!kept && node != null && !node.isThere() && !contender.grant.isLost()) {
			violated("loss not told: %s with %s".formatted(contender, node));
		}
	}

	/** Check that a keeper hears of an operator that frees its lock. */
	void checkKeptWatches() {
		for (SimulatedNode node : this.servers.nodes) {
			if (node.keeps(time()) && this.contenders.get(node.contender) instanceof PipelinedContender keeper
					&& keeper.isHolding() && keeper.engine.isIdle()
					&& !keeper.engine.current().watchers().containsKey(this.servers.parent + "/" + node.name)) {
				violated("kept lock without a watch: %s of %s".formatted(node, keeper));
			}
		}
	}

	/** Check that what a holder is told is lost cannot be held for certain any more. */
	void lost(PipelinedContender contender) {
		SimulatedNode node = contender.held();
		if (node != null && node.isThere() && !contender.engine.isClosing() && !contender.hasEnded()) {
			violated("false loss: %s with %s".formatted(contender, node));
		}
	}

	/**
	 * Release a hold, and check the answer: against what the leader knows of the node.
	 */
	void release(PipelinedContender contender, NodeGrant grant, boolean deletes,
			CompletableFuture<LockState> answered) {
		boolean lostBefore = grant.isLost();
		SimulatedHandle handle = contender.engine.current();
		boolean undisturbed = deletes && handle.connection != null && !handle.hasEvents()
				&& contender.engine.status().isConnected();
		int disturbances = this.servers.disturbances;
		grant.release().whenComplete((state, failure) -> {
			checkAnswer(contender, state, lostBefore, undisturbed && disturbances == this.servers.disturbances);
			answered.complete(state);
		});
	}

	private void checkAnswer(PipelinedContender contender, @Nullable LockState state, boolean lostBefore,
			boolean undisturbed) {
		SimulatedNode node = contender.held();
		if (state != (lostBefore ? LockState.LOST : state)
				|| (state != LockState.LOST && state != LockState.RELEASED)) {
			violated("answer to a release is %s: %s".formatted(state, contender));
		}
		else if (node == null || lostBefore || contender.engine.isClosing()) {
			return;
		}
		else if (node.isThere()) {
			violated("released while it is held: %s with %s".formatted(contender, node));
		}
		else if (state == LockState.LOST && node.deletedByRequest) {
			violated("release told as a loss: %s with %s".formatted(contender, node));
		}
		else if (undisturbed && state == LockState.RELEASED && node.deletedByOperator) {
			violated("loss told as a release: %s with %s".formatted(contender, node));
		}
	}

	// After the faults, when nothing is under way

	/** Check that each waiter waits for another contender. */
	void checkWaits() {
		for (SimulatedContender contender : this.contenders) {
			if (contender instanceof PipelinedContender waiter && waiter.isWaiting()) {
				checkWait(waiter);
			}
		}
		checkLosses();
		this.engines.forEach(this::checkHolds);
		if (this.contenders.stream().anyMatch((waiter) -> waiter instanceof QueuedContender && waiter.isWaiting())
				&& this.contenders.stream().noneMatch(SimulatedContender::isHolding)) {
			violated("waits for nothing: " + this.contenders);
		}
	}

	/** Check that no holder takes a node for held that is gone. */
	void checkLosses() {
		for (SimulatedContender contender : this.contenders) {
			if (contender instanceof PipelinedContender holder && holder.claims() && !holder.held().isThere()) {
				violated("loss not told: %s with %s".formatted(holder, holder.held()));
			}
		}
	}

	boolean isHeld(SimulatedNode node) {
		return this.contenders.stream().anyMatch((contender) -> contender.claims() && contender.held() == node);
	}

	/** Check that a deletion of the nodes of holds would be told. */
	private void checkHolds(SimulatedEngine engine) {
		for (SimulatedContender contender : this.contenders) {
			if (contender instanceof PipelinedContender ours && ours.engine == engine && ours.claims()
					&& !engine.current().watchers().containsKey(ours.grant.nodePath())) {
				violated("hold without a watch: %s with %s".formatted(ours, ours.held()));
			}
			if (contender instanceof PipelinedContender ours && ours.engine == engine && ours.claims()
					&& !ours.knowsOthers()
					&& this.servers.nodes.stream().anyMatch((node) -> node.isThere() && node != ours.held())) {
				violated("contention not told: %s with %s".formatted(ours, ours.held()));
			}
		}
	}

	/** Check that the books of the instances have what contenders need, and no more. */
	void checkBooks() {
		for (SimulatedEngine engine : this.engines) {
			int waiting = 0;
			int held = 0;
			int used = 0;
			boolean exact = true;
			for (SimulatedContender contender : this.contenders) {
				if (contender instanceof QueuedContender queued && this.engines.get(queued.client) == engine) {
					exact &= queued.isOver();
					if (queued.isOver() && !queued.isTold()) {
						violated("release without an answer: %s".formatted(queued));
					}
				}
				else if (contender instanceof PipelinedContender ours && ours.engine == engine) {
					waiting += ours.isWaiting() ? 1 : 0;
					held += ours.claims() ? 1 : 0;
					used += (ours.isWaiting() || ours.isHolding()) ? 1 : 0;
					if (!ours.isTold()) {
						violated("state or answer not told: %s".formatted(ours));
					}
				}
			}
			String books = exact ? engine.books(waiting, held, used) : "";
			if (!books.isEmpty()) {
				violated("books of an instance: " + books);
			}
		}
	}

	private void checkWait(PipelinedContender waiter) {
		SimulatedNode own = null;
		for (SimulatedNode node : this.servers.nodes) {
			if (node.isThere() && node.contender == waiter.number) {
				own = node;
			}
		}
		if (own == null) {
			violated("waits without a node: " + waiter);
			return;
		}
		int before = 0;
		boolean blocked = false;
		for (SimulatedNode node : this.servers.nodes) {
			if (node.isThere() && node.contender != waiter.number && node.sequence <= own.sequence) {
				before++;
				blocked |= node.excludes(own);
			}
		}
		if (own.mode != LockMode.PERMIT
				&& !waiter.engine.current().watchers().containsKey(this.servers.parent + "/" + own.name)) {
			violated("waits without a watch: %s with %s".formatted(waiter, own));
		}
		if (!blocked && (own.mode != LockMode.PERMIT || before < waiter.request.permits())) {
			violated("waits for nothing: %s with %s".formatted(waiter, own));
		}
	}

	/** Check that nothing is there that no contender needs. */
	void checkLeftovers() {
		int[] nodes = new int[this.contenders.size()];
		for (SimulatedNode node : this.servers.nodes) {
			if (node.kept != null) {
				checkKept(node);
			}
			if (node.isThere() && !isOfStopped(node) && (isOver(node.contender) || (++nodes[node.contender] > 1
					&& !(this.contenders.get(node.contender) instanceof QueuedContender)))) {
				violated("node left behind: %s of %s".formatted(node, this.contenders.get(node.contender)));
			}
		}
		for (SimulatedEngine engine : this.engines) {
			for (SimulatedHandle handle : engine.handles) {
				if (!handle.closed) {
					checkWatches(handle);
				}
			}
		}
	}

	/**
	 * Return whether a contender needs no node any more. One behind a queue leaves its
	 * node to the others of its instance.
	 */
	private boolean isOver(int number) {
		SimulatedContender contender = this.contenders.get(number);
		return contender.isOver() && !(contender instanceof QueuedContender
				&& this.contenders.stream().anyMatch((other) -> other.client == contender.client && !other.isOver()));
	}

	/**
	 * Return whether nothing but time ends what a node keeps: its instance has stopped.
	 */
	private boolean isOfStopped(SimulatedNode node) {
		return node.kept != null && this.contenders.get(node.contender) instanceof PipelinedContender keeper
				&& keeper.engine.isClosing();
	}

	private void checkWatches(SimulatedHandle handle) {
		handle.watchers().forEach((path, watchers) -> {
			for (SimulatedWatcher watcher : watchers) {
				SimulatedNode node = this.servers.known(path);
				// A node is watched for its keeper also after a request that was sent
				// again.
				int number = (watcher.contender() < 0 && node != null) ? node.contender : watcher.contender();
				SimulatedContender contender = this.contenders.get(number);
				if (isOver(number) && !path.equals(this.servers.parent) && this.servers.errors == 0) {
					violated("watch left behind: of %s on %s".formatted(contender, node));
				}
				if (contender instanceof PipelinedContender && node != null
						&& watchers.stream().filter((other) -> other.contender() == number).count() > 1) {
					violated("watched twice: by %s, %s".formatted(contender, node));
				}
				if (node != null && !node.isThere()) {
					violated("watch of a missing node: of %s on %s".formatted(contender, node));
				}
			}
		});
		SimulatedConnection connection = handle.connection;
		if (connection != null) {
			for (String path : connection.watches) {
				SimulatedNode node = this.servers.known(path);
				if (node != null && !node.isThere()) {
					violated("watch of a missing node at a server: " + node);
				}
			}
		}
	}

	/** Check that every attempt has come to an end. */
	void checkDecided() {
		for (SimulatedContender contender : this.contenders) {
			if (!contender.isOver()) {
				violated("waits for ever: " + contender);
			}
			if (contender instanceof QueuedContender queued && !queued.isQueueEmpty()) {
				violated("left in the queue of an instance: " + contender);
			}
		}
	}

}
