package io.interlock.zookeeper.internal.session;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;

/**
 * Logs the state of one client's connection: one line when it is interrupted, and one
 * when it is back. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class ConnectionLog {

	private static final Log logger = LogFactory.getLog(ConnectionLog.class);

	private final CuratorFramework client;

	private final boolean failFast;

	private final AtomicBoolean connectedBefore = new AtomicBoolean();

	private final AtomicReference<@Nullable Outage> outage = new AtomicReference<>();

	public ConnectionLog(CuratorFramework client, boolean failFast) {
		this.client = client;
		this.failFast = failFast;
	}

	public void connected(SessionStatus status) {
		SessionLease lease = status.lease();
		if (lease == null || !status.isConnected()) {
			return;
		}
		if (this.connectedBefore.compareAndSet(false, true)) {
			lease.warnIfShort();
		}
		Outage over = this.outage.getAndSet(null);
		if (over != null) {
			logger.warn("The connection to ZooKeeper at '%s' is back after %s, in %s".formatted(servers(),
					Duration.ofMillis((System.nanoTime() - over.since()) / 1_000_000),
					(over.sessionId() == lease.sessionId())
							? "the same session: locks that were not lost or released meanwhile are still held"
							: "a new session: locks that were held before are lost"));
		}
	}

	public void interrupted(SessionStatus status, SessionLease lease) {
		if (!status.isClosed() && this.outage.compareAndSet(null, new Outage(System.nanoTime(), lease.sessionId()))) {
			logger.warn("The connection to ZooKeeper at '%s' is interrupted. Callers that request locks %s"
				.formatted(servers(), this.failFast ? "fail at once (interlock.when-unavailable=fail-fast)"
						: "wait for it until the end of their wait time"));
		}
	}

	private String servers() {
		return this.client.getZookeeperClient().getCurrentConnectionString();
	}

	private record Outage(long since, long sessionId) {
	}

}
