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

/**
 * Distinguishes transient failures from permanent ones, and says what to do about the
 * latter.
 */
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

	static LockServiceUnavailableException permanent(LockId id, ZooKeeperLockSettings settings, Throwable cause) {
		return unavailable(id, reason(settings, cause), cause);
	}

	/** Make an exception of an answer. Requests that refused a list have counted it. */
	static KeeperException of(Code code, String path, @Nullable Requests requests) {
		int contenders = (requests != null) ? requests.countOfLongList(path) : 0;
		return (code == Code.MARSHALLINGERROR && contenders > 0) ? new LongListException(path, contenders)
				: KeeperException.create(code, path);
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

	private static String reason(ZooKeeperLockSettings settings, Throwable cause) {
		if (cause instanceof ClientClosedException || cause instanceof CuratorClosedException
				|| cause instanceof IOException) {
			return "the ZooKeeper client is closed";
		}
		if (cause instanceof LockParent.MissingChrootException) {
			return "the chroot of the connect string does not exist. Retrying will not help: create it, or correct "
					+ "interlock.zookeeper.connect-string";
		}
		if (cause instanceof KeeperException.NoAuthException || cause instanceof KeeperException.AuthFailedException) {
			return ("ZooKeeper does not let this client write below %s. Retrying will not help: check "
					+ "interlock.zookeeper.username and password, and the ACL of that path")
				.formatted(settings.rootPath());
		}
		if (cause instanceof LongListException list) {
			return tooLong(list.path, Integer.toString(list.contenders));
		}
		if (cause instanceof KeeperException.MarshallingErrorException list) {
			return tooLong(list.getPath(), "too many");
		}
		return "%s. Retrying is unlikely to help".formatted(cause);
	}

	private static String tooLong(@Nullable String path, String contenders) {
		return ("the list of %s is longer than this client takes (jute.maxbuffer), because %s contend. "
				+ "Enable interlock.queue, so that each instance contends once, or raise jute.maxbuffer")
			.formatted(path, contenders);
	}

	/** More contenders than the client can list. */
	private static final class LongListException extends KeeperException {

		private final String path;

		private final int contenders;

		LongListException(String path, int contenders) {
			super(Code.MARSHALLINGERROR);
			this.path = path;
			this.contenders = contenders;
		}

	}

}
