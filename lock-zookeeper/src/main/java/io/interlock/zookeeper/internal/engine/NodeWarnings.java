package io.interlock.zookeeper.internal.engine;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.interlock.LockRequest;
import io.interlock.internal.PrintableText;
import io.interlock.zookeeper.internal.session.ClientHandle;
import io.interlock.zookeeper.internal.session.SessionMonitor;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Warns, once for each, of what other contenders have written into ZooKeeper. Safe for
 * use by many threads.
 */
final class NodeWarnings {

	private static final Log logger = LogFactory.getLog(NodeWarnings.class);

	private final SessionMonitor monitor;

	private final Set<String> disagreements = ConcurrentHashMap.newKeySet();

	NodeWarnings(SessionMonitor monitor) {
		this.monitor = monitor;
	}

	void disagree(LockRequest request, int otherPermits) {
		if (this.disagreements.add(request.id().name())) {
			logger.warn(("Semaphore %s is requested with %d permits here and with %d by another contender. The "
					+ "smallest number counts. Use the same number in all instances")
				.formatted(request.id(), request.permits(), otherPermits));
		}
	}

	void ignore(String path) {
		ClientHandle handle = this.monitor.handle();
		if (handle.isNews(path)) {
			logger.warn(("Node %s keeps its lock for longer than any minimum hold time, so it is ignored. Delete it "
					+ "('delete %1$s' in zkCli.sh), and check the clocks of the ZooKeeper servers")
				.formatted(PrintableText.of(handle.absolute(path))));
		}
	}

}
