package io.interlock.faults.worker;

import java.time.Duration;
import java.util.Map;

import io.interlock.queue.QueueSettings;

/**
 * What is under test.
 */
public enum Fleet {

	/**
	 * Interlock.
	 */
	INTERLOCK {

		@Override
		Locks connect(String connectString, Duration sessionTimeout) {
			return interlock(connectString, sessionTimeout, QueueSettings.defaults());
		}

	},

	/**
	 * Interlock without its local queue.
	 */
	UNQUEUED {

		@Override
		Locks connect(String connectString, Duration sessionTimeout) {
			return interlock(connectString, sessionTimeout, new QueueSettings(false, Map.of(), Duration.ZERO, 0, 1));
		}

	},

	/**
	 * Interlock whose grants stay with their instance for a while.
	 */
	LINGERING {

		@Override
		Locks connect(String connectString, Duration sessionTimeout) {
			return interlock(connectString, sessionTimeout, new QueueSettings(true, Map.of(), Duration.ofMillis(50),
					Integer.MAX_VALUE, Integer.MAX_VALUE, Duration.ofMillis(300), Map.of()));
		}

	},

	/**
	 * Interlock whose locks use the connections of the application, if the store is a
	 * database.
	 */
	BORROWING {

		@Override
		Locks connect(String connectString, Duration sessionTimeout) {
			return interlock(connectString, sessionTimeout, QueueSettings.defaults(), 0);
		}

	},

	/**
	 * Plain Curator locks beside Interlock, on the same paths.
	 */
	PEER {

		@Override
		Locks connect(String connectString, Duration sessionTimeout) {
			return new PeerLocks(connectString, sessionTimeout);
		}

	},

	/**
	 * Plain Curator as its users use it: the control.
	 */
	PLAIN {

		@Override
		Locks connect(String connectString, Duration sessionTimeout) {
			return new PlainCuratorLocks(connectString, sessionTimeout);
		}

	};

	/**
	 * Return whether promises are expected of it.
	 * @return {@code false} for what only stands beside, or is the control
	 */
	public boolean isInterlock() {
		return this == UNQUEUED || isQueued();
	}

	/**
	 * Return whether its callers queue among themselves.
	 * @return whether they have one place in the queue of a lock
	 */
	public boolean isQueued() {
		return this == INTERLOCK || this == LINGERING || this == BORROWING;
	}

	/**
	 * Connect.
	 * @param connectString where the servers are, and so which store they are
	 * @param sessionTimeout session timeout, or length of a lease
	 */
	abstract Locks connect(String connectString, Duration sessionTimeout);

	static Locks interlock(String connectString, Duration sessionTimeout, QueueSettings queue) {
		return interlock(connectString, sessionTimeout, queue, PostgresApplication.POOL_SIZE_OF_LOCKS);
	}

	static Locks interlock(String connectString, Duration sessionTimeout, QueueSettings queue, int poolSize) {
		return LeaseLocks.isAt(connectString) ? LeaseLocks.at(connectString, sessionTimeout, queue, poolSize)
				: new InterlockLocks(connectString, sessionTimeout, queue);
	}

}
