package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.interlock.LockId;
import io.interlock.LockOwner;
import io.interlock.zookeeper.internal.engine.Deletions.Result;
import io.interlock.zookeeper.internal.node.KeptNode;
import io.interlock.zookeeper.internal.node.LockNode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;

/**
 * The time for which a lock stays taken after its hold has ended. A node without a
 * session takes the place of the hold's node, in one transaction. Invariant: only one of
 * the two is there, and none after {@link #end()} was answered.
 */
final class Keeping {

	private final LockNode node;

	private final KeptNode kept;

	private final String path;

	private final long until;

	private final Engine engine;

	private final Runnable onLoss;

	private final CompletableFuture<Result> replaced = new CompletableFuture<>();

	/**
	 * Create an instance. The end is counted from the creation of the hold's node, by the
	 * servers' clock.
	 * @param node the node of the hold
	 * @param rest how much longer the lock stays taken
	 * @param onLoss run if another client deletes the node before the time is over
	 */
	Keeping(LockNode node, Duration rest, Engine engine, Runnable onLoss) {
		this.node = node;
		this.kept = KeptNode.insteadOf(node, node.serverTimeAhead(engine.now()) + rest.toMillis() + 1);
		this.path = node.lockPath() + "/" + this.kept.name();
		this.until = engine.now() + TimeUnit.NANOSECONDS.convert(rest);
		this.engine = engine;
		this.onLoss = onLoss;
	}

	/**
	 * Replace the node of the hold.
	 * @return completed with what became of it: {@link Result#DELETED} if the lock is
	 * kept
	 */
	CompletableFuture<Result> begin(LockId id) {
		byte[] data = this.engine.ownerRecords().write(id, LockOwner.current());
		this.engine.deletions().replace(this.node.path(), this.path, data).thenAccept((result) -> {
			if (result == Result.DELETED) {
				watch();
			}
			this.replaced.complete(result);
		});
		return this.replaced;
	}

	/**
	 * Watch for an operator that frees the lock. Callers that come when the time is over
	 * delete the node too.
	 */
	private void watch() {
		Requests requests = this.engine.anyRequests();
		if (requests != null) {
			requests.watch(this.path, (code) -> gone(code == Code.NONODE),
					(event) -> gone(event == EventType.NodeDeleted));
		}
	}

	private void gone(boolean gone) {
		if (gone && this.engine.now() - this.until < 0) {
			this.onLoss.run();
		}
	}

	/**
	 * Free the lock. What is sent now comes after the replacement at the servers; if that
	 * has to be sent again, this has to be, too.
	 * @return completed when no node is left
	 */
	CompletableFuture<Result> end() {
		if (!this.replaced.isDone()) {
			this.engine.deletions().delete(this.path);
		}
		return this.replaced.thenCompose(
				(result) -> this.engine.deletions().delete((result == Result.REFUSED) ? this.node.path() : this.path))
			.thenApply((result) -> Result.DELETED);
	}

}
