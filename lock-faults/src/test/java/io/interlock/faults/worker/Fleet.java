package io.interlock.faults.worker;

import java.time.Duration;

import io.interlock.curator.Recipe;

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
			return new InterlockLocks(connectString, sessionTimeout, Recipe.GUARDED);
		}

	},

	/**
	 * Plain Curator mutexes beside Interlock, on the same path.
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

	abstract Locks connect(String connectString, Duration sessionTimeout);

}
