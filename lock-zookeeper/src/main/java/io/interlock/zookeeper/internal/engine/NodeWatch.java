package io.interlock.zookeeper.internal.engine;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;

/**
 * The watch of the own node of a waiter or a holder: an operator may delete it. It stays
 * with the hold that a wait ends with. Invariant: while it {@link #isSet}, and the
 * connection stands, the end of the own node is told before that of a later one.
 */
final class NodeWatch {

	private final String path;

	private final BiConsumer<EventType, Code> listener;

	private final AtomicBoolean asked = new AtomicBoolean();

	private volatile boolean answered;

	NodeWatch(String path, BiConsumer<EventType, Code> listener) {
		this.path = path;
		this.listener = listener;
	}

	NodeWatch(String path, Runnable onDeletion) {
		this(path, (event, code) -> {
			if (event == EventType.NodeDeleted) {
				onDeletion.run();
			}
		});
	}

	/** Set the watch, unless it is set or about to be. */
	void set(Requests requests) {
		if (!this.asked.compareAndSet(false, true)) {
			return;
		}
		try {
			requests.watch(this.path, this::answered, this::changed);
		}
		catch (Error ex) {
			usedUp();
			throw ex;
		}
	}

	/** Return whether it was answered, and has not been used up. */
	boolean isSet() {
		return this.answered;
	}

	private void answered(Code code) {
		if (code == Code.OK) {
			this.answered = true;
		}
		else if (code == Code.NONODE) {
			this.listener.accept(EventType.NodeDeleted, code);
		}
		else {
			usedUp();
			this.listener.accept(EventType.None, code);
		}
	}

	/**
	 * Act on an event. One that is not a deletion uses the watch up: the data of the node
	 * was changed, or another attempt has removed the watches of this client.
	 */
	private void changed(EventType event) {
		if (event != EventType.None && event != EventType.NodeDeleted) {
			usedUp();
		}
		this.listener.accept(event, Code.OK);
	}

	private void usedUp() {
		this.answered = false;
		this.asked.set(false);
	}

}
