package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.interlock.LockId;
import io.interlock.provider.LockCaller;
import io.interlock.zookeeper.internal.engine.Deletions.Result;
import io.interlock.zookeeper.internal.node.LockNode;
import io.interlock.zookeeper.internal.node.MinHoldNode;
import org.apache.zookeeper.Watcher.Event.EventType;

/**
 * The time for which a lock stays taken after its hold has ended. A node without a
 * session takes the place of the hold's node, in one transaction. Invariant: only one of
 * the two is there, and none after {@link #end()} was answered.
 */
final class NodeMinHold {

	private static final long CLOCK_TOLERANCE_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** How far clocks drift apart: a thousandth is more than any does. */
	private static final long CLOCK_TOLERANCE_DIVISOR = 1000;

	private final LockNode node;

	private final String path;

	private final long until;

	private final long toleranceNanos;

	private final byte[] data;

	private final Engine engine;

	private final Runnable onLoss;

	private final CompletableFuture<Result> replaced = new CompletableFuture<>();

	/** Always the same, so that a session has one watch. */
	private final Consumer<EventType> onEvent = this::changed;

	private volatile boolean ended;

	/**
	 * The end is counted from the creation of the hold's node, by the servers' clock.
	 * {@code onLoss} is run if another client deletes the node before the time is over.
	 */
	NodeMinHold(LockNode node, LockId id, Duration rest, Engine engine, Runnable onLoss) {
		this.node = node;
		MinHoldNode kept = MinHoldNode.insteadOf(node, node.serverTimeAhead(engine.now()) + rest.toMillis() + 1);
		this.path = node.lockPath() + "/" + kept.name();
		this.until = engine.now() + TimeUnit.NANOSECONDS.convert(rest);
		this.toleranceNanos = CLOCK_TOLERANCE_NANOS + TimeUnit.NANOSECONDS.convert(rest) / CLOCK_TOLERANCE_DIVISOR;
		this.data = engine.ownerRecords().write(id, LockCaller.current());
		this.engine = engine;
		this.onLoss = onLoss;
	}

	/** Replace the node of the hold; {@link Result#DELETED} if the lock is kept. */
	CompletableFuture<Result> begin() {
		this.engine.deletions().replace(this.node.path(), this.path, this.data).thenAccept((result) -> {
			if (result == Result.DELETED) {
				watch();
			}
			this.replaced.complete(result);
		});
		return this.replaced;
	}

	/** Watch for an operator that frees the lock, in each session of this instance. */
	private void watch() {
		if (!this.ended) {
			this.engine.deletions().watch(this.path, this::gone, this.onEvent);
		}
	}

	private void changed(EventType event) {
		if (event == EventType.NodeDeleted) {
			gone();
		}
		else {
			watch();
		}
	}

	/**
	 * Report a loss, unless a caller may have deleted the node because its time was over:
	 * by the servers' clock, which may be ahead of the own one by now. There is nothing
	 * to watch any more.
	 */
	private void gone() {
		this.ended = true;
		if (this.engine.now() - this.until < -this.toleranceNanos) {
			this.onLoss.run();
		}
	}

	/**
	 * Free the lock. No replacement can come after the hold's node is deleted, so the
	 * other node is deleted once more then.
	 */
	CompletableFuture<Result> end() {
		this.ended = true;
		Deletions deletions = this.engine.deletions();
		CompletableFuture<Result> keptGone;
		if (this.replaced.getNow(null) == Result.DELETED) {
			keptGone = deletions.delete(this.path);
		}
		else {
			CompletableFuture<Result> heldGone = deletions.delete(this.node.path());
			keptGone = deletions.delete(this.path)
				.thenCompose((result) -> heldGone)
				.thenCompose((result) -> deletions.delete(this.path));
		}
		return keptGone.thenApply((result) -> Result.DELETED);
	}

}
