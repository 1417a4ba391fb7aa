package io.interlock.zookeeper.internal.engine;

import java.io.IOException;
import java.time.Duration;

import io.interlock.LockId;
import io.interlock.LockServiceUnavailableException;
import io.interlock.zookeeper.internal.node.MissingChrootException;
import io.interlock.zookeeper.internal.session.ClientClosedException;
import org.apache.curator.framework.api.CuratorClosedException;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * Distinguishes transient failures from permanent ones, and says what to do about the
 * latter.
 */
final class ProviderFailures {

	private ProviderFailures() {
	}

	/**
	 * Return what a number means. A server may be newer than its client.
	 */
	static Code codeOf(int code) {
		try {
			return Code.get(code);
		}
		catch (IllegalArgumentException ex) {
			return Code.SYSTEMERROR;
		}
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

	static LockServiceUnavailableException permanent(LockId id, ZooKeeperLockSettings settings, Throwable cause) {
		return unavailable(id, reason(settings, cause), cause);
	}

	static LockServiceUnavailableException notConnected(LockId id) {
		return unavailable(id, "there is no connection to ZooKeeper, and interlock.when-unavailable is fail-fast",
				null);
	}

	static LockServiceUnavailableException refused(LockId id, String reason) {
		return unavailable(id, reason, null);
	}

	static LockServiceUnavailableException closed(LockId id) {
		return unavailable(id, "this instance is shutting down", null);
	}

	private static LockServiceUnavailableException unavailable(LockId id, String reason, @Nullable Throwable cause) {
		return new LockServiceUnavailableException("Lock %s cannot be acquired: %s".formatted(id, reason), id,
				Duration.ZERO, cause);
	}

	private static String reason(ZooKeeperLockSettings settings, Throwable cause) {
		if (cause instanceof ClientClosedException || cause instanceof CuratorClosedException
				|| cause instanceof IOException) {
			return "the ZooKeeper client is closed";
		}
		if (cause instanceof MissingChrootException) {
			return "the chroot of the connect string does not exist. Retrying will not help: create it, or correct "
					+ "interlock.zookeeper.connect-string";
		}
		if (cause instanceof KeeperException.NoAuthException || cause instanceof KeeperException.AuthFailedException) {
			return ("ZooKeeper does not let this client write below %s. Retrying will not help: check "
					+ "interlock.zookeeper.username and password, and the ACL of that path")
				.formatted(settings.rootPath());
		}
		if (cause instanceof KeeperException.MarshallingErrorException tooLong) {
			return ("the list of %s is longer than this client takes (jute.maxbuffer), because too many contend. "
					+ "Enable interlock.queue, so that each instance contends once, or raise jute.maxbuffer")
				.formatted(tooLong.getPath());
		}
		return "%s. Retrying is unlikely to help".formatted(cause);
	}

}
