package io.interlock.zookeeper.internal.engine;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.interlock.LockId;
import io.interlock.PrintableText;
import io.interlock.zookeeper.internal.node.KeptNode;
import io.interlock.zookeeper.internal.node.OwnerRecords;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that attempts of this instance have found in front of them, and since when.
 * It names in the log, once, what blocks a queue for longer than a session timeout
 * although no holder of Interlock stands behind it: a node without a session, or a node
 * that another client made. Attempts that give up earlier count too, because they meet
 * the same node again. At most {@value #REMEMBERED} nodes are remembered. Safe for use by
 * many threads.
 */
final class Blockers {

	private static final Log logger = LogFactory.getLog(Blockers.class);

	private static final int REMEMBERED = 1000;

	private final Map<String, Blocker> met = new LinkedHashMap<>() {

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, Blocker> eldest) {
			return size() > REMEMBERED;
		}

	};

	/**
	 * Note that an attempt has a node in front of it. One that keeps the lock for a time
	 * blocks nothing.
	 * @param requests asks about a node that is there for long
	 * @param id the lock
	 * @param path path of the node
	 */
	void meet(Requests requests, LockId id, String path) {
		boolean kept = KeptNode.parse(path.substring(path.lastIndexOf('/') + 1)) != null;
		if (!kept && isDue(path, System.nanoTime(), TimeUnit.MILLISECONDS.toNanos(requests.sessionTimeoutMillis()))) {
			requests.stat(path, (code, stat) -> answered(requests, id, path, code, stat));
		}
	}

	/** Note that an attempt has the first of a queue in front of it. */
	void meetFirst(Requests requests, LockId id, String lockPath, List<String> names) {
		new Listing(names).first().ifPresent((first) -> meet(requests, id, lockPath + "/" + first));
	}

	private synchronized boolean isDue(String path, long now, long timeoutNanos) {
		Blocker blocker = this.met.computeIfAbsent(path, (added) -> new Blocker(now));
		if (blocker.asked || now - blocker.since <= timeoutNanos) {
			return false;
		}
		blocker.asked = true;
		return true;
	}

	/** Forget a node that is gone. */
	synchronized void forget(String path) {
		this.met.remove(path);
	}

	private synchronized void askAgain(String path) {
		Blocker blocker = this.met.get(path);
		if (blocker != null) {
			blocker.asked = false;
		}
	}

	private void answered(Requests requests, LockId id, String path, Code code, @Nullable Stat stat) {
		if (code == Code.NONODE) {
			forget(path);
		}
		else if (stat == null) {
			if (ProviderFailures.isTransient(code)) {
				askAgain(path);
			}
		}
		else if (stat.getEphemeralOwner() == 0) {
			warn(("Node %s belongs to no session and blocks lock %s for longer than a session timeout (%d ms). No "
					+ "holder stands behind it, and it stays until it is deleted: find out which client made it, and "
					+ "delete it")
				.formatted(PrintableText.of(path), id, requests.sessionTimeoutMillis()));
		}
		else if (stat.getDataLength() == 0 || stat.getDataLength() > OwnerRecords.MAX_BYTES) {
			warnOfForeignNode(requests, id, path, stat);
		}
		else {
			requests.data(path, (answer, data) -> {
				if (answer == Code.OK && !OwnerRecords.isRecord(data)) {
					warnOfForeignNode(requests, id, path, stat);
				}
				else if (ProviderFailures.isTransient(answer)) {
					askAgain(path);
				}
			});
		}
	}

	private static void warnOfForeignNode(Requests requests, LockId id, String path, Stat stat) {
		warn(("Node %s was not made by Interlock and blocks lock %s for longer than a session timeout (%d ms). It "
				+ "goes when its client releases it, or when session 0x%x ends")
			.formatted(PrintableText.of(path), id, requests.sessionTimeoutMillis(), stat.getEphemeralOwner()));
	}

	private static void warn(String message) {
		logger.warn(message);
	}

	/** A node, and what was done about it. */
	private static final class Blocker {

		private final long since;

		private boolean asked;

		Blocker(long since) {
			this.since = since;
		}

	}

}
