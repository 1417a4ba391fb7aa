package io.interlock.zookeeper.internal.engine;

import java.util.List;

import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;

/**
 * What the event thread of a client gets: the answer to a request, or an event.
 */
sealed interface SimulatedMessage permits SimulatedRequest, SimulatedMessage.NodeEvent, SimulatedMessage.StateEvent {

	/** The state of the servers that the message tells of. */
	int zxid();

	/**
	 * A change of a node, with those that it is told to.
	 */
	record NodeEvent(EventType type, String path, int zxid,
			List<SimulatedWatcher> watchers) implements SimulatedMessage {
	}

	/**
	 * A change of the connection.
	 */
	record StateEvent(KeeperState state, List<SimulatedWatcher> watchers) implements SimulatedMessage {

		@Override
		public int zxid() {
			return 0;
		}

	}

}
