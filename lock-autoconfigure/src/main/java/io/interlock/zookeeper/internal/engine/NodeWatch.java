package io.interlock.zookeeper.internal.engine;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.interlock.zookeeper.internal.node.LockNode;
import io.interlock.zookeeper.internal.session.SessionMonitor;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooKeeper;

/**
 * Watches the node of one hold for deletion by another client. Short holds are not worth
 * the request: most are over before it would be answered.
 */
final class NodeWatch {

	private static final long OLD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final LockNode node;

	private final SessionMonitor monitor;

	private final Runnable onDeletion;

	private final long startedAt = System.nanoTime();

	private final AtomicBoolean watching = new AtomicBoolean();

	NodeWatch(LockNode node, SessionMonitor monitor, Runnable onDeletion) {
		this.node = node;
		this.monitor = monitor;
		this.onDeletion = onDeletion;
	}

	void startedAlready() {
		this.watching.set(true);
	}

	void startWhenOld(long now) {
		if (now - this.startedAt < OLD_NANOS) {
			return;
		}
		ZooKeeper zooKeeper = this.monitor.handle().connected();
		if (zooKeeper != null && this.watching.compareAndSet(false, true)) {
			zooKeeper.getData(this.monitor.handle().absolute(this.node.path()), this::changed,
					(code, path, context, data, stat) -> answered(Code.get(code)), null);
		}
	}

	private void changed(WatchedEvent event) {
		if (event.getType() == EventType.NodeDeleted) {
			this.onDeletion.run();
		}
		else if (event.getType() != EventType.None) {
			this.watching.set(false);
		}
	}

	private void answered(Code code) {
		if (code == Code.NONODE) {
			this.onDeletion.run();
		}
		else if (code != Code.OK) {
			this.watching.set(false);
		}
	}

}
