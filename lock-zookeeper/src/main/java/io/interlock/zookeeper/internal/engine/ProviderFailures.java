package io.interlock.zookeeper.internal.engine;

import java.io.IOException;
import java.time.Duration;

import io.interlock.LockId;
import io.interlock.LockServiceUnavailableException;
import io.interlock.zookeeper.internal.node.LockParent;
import io.interlock.zookeeper.internal.session.ClientClosedException;
import org.apache.curator.framework.api.CuratorClosedException;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/** Tells transient failures from permanent ones, and what to do about the latter. */
final class ProviderFailures {

	private ProviderFailures() {
	}

	static boolean isTransient(Throwable ex) {
		return ex instanceof KeeperException known && isTransient(known.code());
	}

	static boolean isTransient(Code code) {
		return switch (code) {
			case CONNECTIONLOSS, SESSIONEXPIRED, SESSIONMOVED, OPERATIONTIMEOUT, REQUESTTIMEOUT, THROTTLEDOP, NONODE,
					NOTREADONLY ->
				true;
			default -> false;
		};
	}

	static LockServiceUnavailableException permanent(LockId id, Engine engine, Throwable cause) {
		Throwable failure = engine.status().isClosed() ? new ClientClosedException() : cause;
		return unavailable(id, reason(engine, failure), failure);
	}

	static LockServiceUnavailableException notConnected(LockId id) {
		return unavailable(id, "there is no connection to ZooKeeper, and interlock.when-unavailable is fail-fast",
				null);
	}

	static LockServiceUnavailableException closed(LockId id) {
		return unavailable(id, "this instance is shutting down", null);
	}

	private static LockServiceUnavailableException unavailable(LockId id, String reason, @Nullable Throwable cause) {
		return new LockServiceUnavailableException("Lock %s cannot be acquired: %s".formatted(id, reason), id,
				Duration.ZERO, cause);
	}

	private static String reason(Engine engine, Throwable cause) {
		if (cause instanceof ClientClosedException || cause instanceof CuratorClosedException
				|| cause instanceof IOException) {
			return "the ZooKeeper client is closed";
		}
		if (cause instanceof LockParent.MissingChrootException) {
			return "the chroot of the connect string does not exist. Retrying will not help: create it, or correct "
					+ "interlock.zookeeper.connect-string";
		}
		if (cause instanceof KeeperException.NoAuthException || cause instanceof KeeperException.AuthFailedException) {
			return ("ZooKeeper does not allow this client to write below %s. Retrying will not help: check "
					+ "interlock.zookeeper.username and password, and the ACL of that path")
				.formatted(engine.settings().rootPath());
		}
		if (cause instanceof KeeperException.MarshallingErrorException list) {
			return ("the list of %s is longer than this client takes (jute.maxbuffer), because %s contend. "
					+ "Enable interlock.queue, so that each instance contends once, or raise jute.maxbuffer")
				.formatted(list.getPath(), contenders(engine, list.getPath()));
		}
		return "%s. Retrying is unlikely to help".formatted(cause);
	}

	/** Requests that refused a list have counted it. */
	private static String contenders(Engine engine, @Nullable String path) {
		Requests requests = engine.anyRequests();
		int count = (requests != null && path != null) ? requests.countOfLongList(path) : 0;
		return (count > 0) ? Integer.toString(count) : "too many";
	}

}
