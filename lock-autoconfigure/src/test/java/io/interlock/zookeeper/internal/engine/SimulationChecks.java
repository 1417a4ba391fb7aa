package io.interlock.zookeeper.internal.engine;

import java.util.ArrayList;
import java.util.List;

import io.interlock.LockMode;
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

	private long newestToken;

	private long newestExclusiveToken;

	private @Nullable String violation;

	private int grants;

	SimulationChecks(SimulatedServers servers, List<SimulatedContender> contenders) {
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

	int grants() {
		return this.grants;
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
			if (other.isThere() && other != node && other.sequence <= node.sequence) {
				before++;
				if (other.contender == node.contender && other.session == node.session && !isBusy(node)) {
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
				if (held.excludes(node)) {
					violated("two holders: %s with %s, and %s with %s".formatted(contender, node, other, held));
				}
			}
		}
		if (contender instanceof PipelinedContender ours && node.mode == LockMode.PERMIT
				&& permits > ours.request.permits()) {
			violated("more holders than permits: %s with %s".formatted(contender, node));
		}
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

	// After the faults, when nothing is under way

	/** Check that each waiter waits for another contender. */
	void checkWaits() {
		for (SimulatedContender contender : this.contenders) {
			if (contender instanceof PipelinedContender waiter && waiter.isWaiting()) {
				checkWait(waiter);
			}
			if (contender instanceof PipelinedContender holder && holder.claims() && !holder.held().isThere()) {
				violated("loss not told: %s with %s".formatted(holder, holder.held()));
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
			if (node.isThere() && (this.contenders.get(node.contender).isOver() || ++nodes[node.contender] > 1)) {
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

	private void checkWatches(SimulatedHandle handle) {
		handle.watchers().forEach((path, watchers) -> {
			for (SimulatedWatcher watcher : watchers) {
				SimulatedNode node = this.servers.known(path);
				// A node is watched for its keeper also after a request that was sent
				// again.
				int number = (watcher.contender() < 0 && node != null) ? node.contender : watcher.contender();
				SimulatedContender contender = this.contenders.get(number);
				if (contender.isOver() && !path.equals(this.servers.parent)) {
					violated("watch left behind: of %s on %s".formatted(contender, node));
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
		}
	}

}
