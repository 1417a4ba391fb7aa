package io.interlock.curator;

import java.io.IOException;
import java.time.Duration;

import io.interlock.LockId;
import io.interlock.LockServiceUnavailableException;
import org.apache.curator.framework.api.CuratorClosedException;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * Tells failures that pass from those that stay, and says of the latter what to do.
 */
final class ProviderFailures {

	private ProviderFailures() {
	}

	static boolean isTransient(KeeperException ex) {
		return isTransient(ex.code());
	}

	static boolean isTransient(Code code) {
		return switch (code) {
			case CONNECTIONLOSS, SESSIONEXPIRED, SESSIONMOVED, OPERATIONTIMEOUT, REQUESTTIMEOUT, NONODE, NOTREADONLY ->
				true;
			default -> false;
		};
	}

	static LockServiceUnavailableException permanent(LockId id, CuratorLockSettings settings, Throwable cause) {
		return unavailable(id, reason(settings, cause), cause);
	}

	static LockServiceUnavailableException tooManyContenders(LockId id, int max) {
		return unavailable(id, ("this instance waits for %d locks already. Raise interlock.zookeeper.max-contenders, "
				+ "or wait for fewer locks at once")
			.formatted(max), null);
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

	private static String reason(CuratorLockSettings settings, Throwable cause) {
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
		return "%s. Retrying will hardly help".formatted(cause);
	}

}
