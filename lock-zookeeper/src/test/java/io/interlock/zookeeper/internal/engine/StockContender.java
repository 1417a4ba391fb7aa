package io.interlock.zookeeper.internal.engine;

import java.util.List;

import io.interlock.LockMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.jspecify.annotations.Nullable;

/**
 * A contender with a stock recipe of Curator, in a session without faults: it waits for
 * each answer, watches one node in front, and lists again after each event. A writer may
 * become a reader while it holds the lock: it makes a node for readers with its own
 * number, and deletes the other one.
 */
final class StockContender extends SimulatedContender {

	private final SimulatedHandle handle;

	private final String parent;

	private final String prefix;

	private final LockMode mode;

	private final SimulationChecks checks;

	private @Nullable SimulatedNode node;

	private boolean holding;

	private boolean released;

	private boolean downgrading;

	StockContender(int number, SimulatedHandle handle, LockMode mode, boolean readWrite, SimulationChecks checks) {
		super(number, handle.client);
		this.handle = handle;
		this.parent = handle.servers.parent;
		this.mode = mode;
		this.checks = checks;
		String kind = (mode == LockMode.SHARED) ? "__READ__" : (readWrite ? "__WRIT__" : "lock-");
		this.prefix = this.parent + "/_c_ffffffff-0000-0000-0000-00000000000" + number + "-" + kind;
	}

	@Override
	void start() {
		this.started = true;
		create();
	}

	private void create() {
		this.handle.create(this.prefix, new byte[0], List.of(), CreateMode.EPHEMERAL_SEQUENTIAL, (code, name, stat) -> {
			if (name != null) {
				this.node = this.handle.servers.find(name, this.handle.servers.zxid());
				if (this.node != null) {
					list();
					return;
				}
			}
			if (code == Code.NONODE) {
				this.handle.create(this.parent, new byte[0], List.of(), CreateMode.CONTAINER,
						(answer, made, none) -> create());
			}
			else {
				create();
			}
		});
	}

	private void list() {
		this.handle.list(this.parent, (code, names) -> {
			if (code == Code.NONODE || !names.contains(this.node.name)) {
				create();
				return;
			}
			SimulatedNode nearest = null;
			for (SimulatedNode other : this.handle.servers.nodes) {
				if (names.contains(other.name) && other.excludes(this.node) && isBefore(other)
						&& (nearest == null || other.sequence > nearest.sequence)) {
					nearest = other;
				}
			}
			if (nearest == null) {
				this.holding = true;
				this.checks.granted(this);
			}
			else {
				watch(nearest);
			}
		});
	}

	private boolean isBefore(SimulatedNode other) {
		return other.sequence < this.node.sequence
				|| (other.sequence == this.node.sequence && other.name.compareTo(this.node.name) < 0);
	}

	private void watch(SimulatedNode other) {
		this.handle.watch(this.parent + "/" + other.name, (code) -> {
			if (code == Code.NONODE) {
				list();
			}
		}, (event) -> {
			if (event != EventType.None) {
				list();
			}
		});
	}

	boolean canDowngrade() {
		return isHolding() && !this.downgrading && this.mode == LockMode.EXCLUSIVE && this.prefix.contains("__WRIT__")
				&& this.node.isThere();
	}

	void downgrade() {
		this.downgrading = true;
		String path = this.parent + "/" + this.node.name.replace("__WRIT__", "__READ__").replaceFirst("-0000", "-0001");
		this.handle.downgrade(path, (request) -> {
			if (request.code == Code.OK) {
				SimulatedNode writer = this.node;
				this.node = request.node;
				this.handle.delete(this.parent + "/" + writer.name, (code) -> {
				});
				if (this.released) {
					delete();
				}
			}
		});
	}

	@Override
	boolean isHolding() {
		return this.holding && !this.released;
	}

	@Override
	boolean isOver() {
		return this.released || !this.started;
	}

	@Override
	boolean claims() {
		return isHolding();
	}

	@Override
	void release() {
		this.released = true;
		delete();
	}

	private void delete() {
		this.handle.delete(this.parent + "/" + this.node.name, (code) -> {
		});
	}

	@Override
	@Nullable SimulatedNode held() {
		return this.node;
	}

	@Override
	public String toString() {
		return super.toString() + " (stock " + this.mode + (isHolding() ? ", holds)" : ")");
	}

}
