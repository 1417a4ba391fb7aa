package io.interlock.zookeeper.internal.engine;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.interlock.zookeeper.internal.node.LockNode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;

/**
 * Watches the node of one hold for deletion by another client. Short holds are not worth
 * the request: most are over before it would be answered.
 */
final class NodeWatch {

	private static final long OLD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final LockNode node;

	private final Engine engine;

	private final Runnable onDeletion;

	private final long startedAt;

	private final AtomicBoolean watching = new AtomicBoolean();

	NodeWatch(LockNode node, Engine engine, Runnable onDeletion) {
		this.node = node;
		this.engine = engine;
		this.onDeletion = onDeletion;
		this.startedAt = engine.now();
	}

	void startedAlready() {
		this.watching.set(true);
	}

	void stopped() {
		this.watching.set(false);
	}

	void startWhenOld(long now) {
		if (now - this.startedAt < OLD_NANOS) {
			return;
		}
		Requests requests = this.engine.status().isConnected() ? this.engine.anyRequests() : null;
		if (requests != null && this.watching.compareAndSet(false, true)) {
			try {
				requests.watch(this.node.path(), this::answered, this::changed);
			}
			catch (Error ex) {
				stopped();
				throw ex;
			}
		}
	}

	private void changed(EventType event) {
		if (event == EventType.NodeDeleted) {
			this.onDeletion.run();
		}
		else if (event != EventType.None) {
			stopped();
		}
	}

	private void answered(Code code) {
		if (code == Code.NONODE) {
			this.onDeletion.run();
		}
		else if (code != Code.OK) {
			stopped();
		}
	}

}
