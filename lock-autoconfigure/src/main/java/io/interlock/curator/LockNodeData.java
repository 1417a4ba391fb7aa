package io.interlock.curator;

import io.interlock.LockId;
import io.interlock.LockOwner;

/**
 * What a lock node says about who made it: a small JSON record for people who look at it
 * with {@code zkCli.sh get}. Nothing in it decides anything. Where several threads of an
 * instance hold the lock one after the other through one node, it tells of the first.
 *
 * @see OwnerRecord
 */
final class LockNodeData {

	static final int VERSION = 1;

	private LockNodeData() {
	}

	/**
	 * Write a record. Texts are cut so that it stays below 1 KB, whatever they are.
	 */
	static byte[] of(LockId id, LockOwner owner, String instance, InstanceDetails details) {
		return new FlatJsonWriter().append("version", VERSION)
			.append("application", details.application(), 80)
			.append("instance", instance, 100)
			.append("host", details.host(), 80)
			.append("pid", details.pid())
			.append("thread", owner.thread(), 100)
			.append("since", owner.since().toString(), 40)
			.append("name", id.name(), 140)
			.append("key", id.key(), 200)
			.append("traceId", owner.traceId(), 60)
			.toBytes();
	}

}
