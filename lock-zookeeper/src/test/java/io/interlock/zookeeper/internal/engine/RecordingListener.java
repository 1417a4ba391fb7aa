package io.interlock.zookeeper.internal.engine;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.interlock.LockHandle;
import io.interlock.LockListener;

/**
 * Remembers the holds that were lost.
 */
final class RecordingListener implements LockListener {

	private final List<LockHandle> lost = new CopyOnWriteArrayList<>();

	@Override
	public void onLost(LockHandle handle) {
		this.lost.add(handle);
	}

	List<LockHandle> lost() {
		return this.lost;
	}

}
