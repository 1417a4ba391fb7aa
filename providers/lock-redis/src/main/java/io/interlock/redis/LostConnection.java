package io.interlock.redis;

import java.util.List;

import io.interlock.lease.LeaseStoreException;
import io.lettuce.core.RedisConnectionException;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Finds out why there is no connection. While Lettuce connects again it rejects each
 * command, and keeps the reason to itself: a wrong password, a server that is gone. So
 * another connection is made once, within the timeout of connections and commands. Safe
 * for use by many threads.
 */
final class LostConnection implements AutoCloseable {

	private static final int MAX_DEPTH = 20;

	private final RedisCalls calls;

	/** {@code null} if the connections are not of Lettuce. */
	private final @Nullable MasterConnections others;

	LostConnection(RedisConnectionFactory connections, RedisCalls calls) {
		this.calls = calls;
		this.others = MasterConnections.of(connections);
	}

	/**
	 * Return why a command has failed: with its own failure, unless there was no
	 * connection, and there is none now. Blocks.
	 */
	synchronized LeaseStoreException reason(LeaseStoreException failure) {
		MasterConnections others = this.others;
		if (others == null || this.calls.isPipelined() || !failure.isPassing() || hasTriedToConnect(failure)) {
			return failure;
		}
		try (RedisConnection other = others.factory().getConnection()) {
			other.ping();
			return failure;
		}
		catch (RuntimeException ex) {
			return RedisFailures.translate(ex, List.of());
		}
		finally {
			others.lookAgain();
		}
	}

	/** A client that was never connected tries with each command, and says why. */
	private static boolean hasTriedToConnect(LeaseStoreException failure) {
		Throwable cause = failure.getCause();
		for (int depth = 0; cause != null && depth < MAX_DEPTH; depth++) {
			if (cause instanceof RedisConnectionException) {
				return true;
			}
			cause = cause.getCause();
		}
		return false;
	}

	@Override
	public void close() {
		if (this.others != null) {
			this.others.close();
		}
	}

}
