package io.interlock.redis;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.regex.Pattern;

import io.interlock.LockId;
import io.interlock.internal.LockThreads;
import io.interlock.internal.PrintableText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Receives the keys of locks that may be free for a contender of this instance. Each
 * instance has a channel of its own, so that a release wakes the next contender and no
 * other. Messages may get lost: contenders that wait poll.
 * <p>
 * The client subscribes again by itself after an outage. The listener container of Spring
 * does more, but it may wait forever when it is stopped during an outage.
 */
final class FreedLocks implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(FreedLocks.class);

	private static final long PAUSE_SECONDS = 1;

	private static final int MAX_SHOWN = 100;

	/** A channel is one word of the value that a contender has in the hash of a lock. */
	private static final Pattern WHITE_SPACE = Pattern.compile("\\s");

	private final RedisConnectionFactory connections;

	/** {@code null} if the connections themselves have messages. */
	private final @Nullable MasterConnections master;

	private final LockKeys keys;

	private final String channel;

	private final EvictionCheck eviction = new EvictionCheck();

	private final AtomicBoolean warned = new AtomicBoolean();

	private final CountDownLatch closed = new CountDownLatch(1);

	private @Nullable RedisConnection connection;

	FreedLocks(RedisConnectionFactory connections, LockKeys keys, String prefix) {
		this.connections = connections;
		this.master = MasterConnections.ofStatic(connections);
		this.keys = keys;
		this.channel = WHITE_SPACE.matcher(prefix).replaceAll("%20") + "freed:" + UUID.randomUUID();
	}

	String channel() {
		return this.channel;
	}

	/**
	 * Begin to listen, on a thread of its own: the server may be down, and some clients
	 * block while they listen.
	 */
	void listen(Consumer<LockId> freed) {
		LockThreads.LISTEN.thread("redis", () -> subscribe((message, pattern) -> tell(message, freed))).start();
	}

	/** Pass a message on, unless another program has sent it. */
	private void tell(Message message, Consumer<LockId> freed) {
		String text = new String(message.getBody(), StandardCharsets.UTF_8);
		try {
			LockId lock = this.keys.lockOf(text);
			if (lock != null) {
				freed.accept(lock);
				return;
			}
		}
		catch (RuntimeException ex) {
			logger.debug("A message about released locks cannot be read", ex);
		}
		if (this.warned.compareAndSet(false, true)) {
			String start = PrintableText.of(text.substring(0, Math.min(text.length(), MAX_SHOWN)));
			logger.warn(("Another program sends messages on the channel '%s' of this instance: '%s'. They wake no "
					+ "waiter and are not logged again. Allow only instances to use channels that begin with "
					+ "interlock.redis.key-prefix")
				.formatted(this.channel, start));
		}
	}

	private void subscribe(MessageListener listener) {
		byte[] channel = this.channel.getBytes(StandardCharsets.UTF_8);
		try {
			do {
				try {
					RedisConnection connection = connect();
					if (!register(connection)) {
						return;
					}
					this.eviction.check(connection);
					connection.subscribe(listener, channel);
					if (connection.isSubscribed()) {
						return;
					}
				}
				catch (RuntimeException ex) {
					logger.debug("No messages about released locks yet; waiters poll instead", ex);
				}
				closeConnection();
			}
			while (!this.closed.await(PAUSE_SECONDS, TimeUnit.SECONDS));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private RedisConnection connect() {
		MasterConnections master = this.master;
		if (master == null) {
			return this.connections.getConnection();
		}
		master.lookAgain();
		return master.factory().getConnection();
	}

	/** Note which connection to close later, or close it now if this was closed. */
	private boolean register(RedisConnection connection) {
		synchronized (this) {
			if (this.closed.getCount() > 0) {
				this.connection = connection;
				return true;
			}
		}
		connection.close();
		return false;
	}

	private void closeConnection() {
		RedisConnection connection;
		synchronized (this) {
			connection = this.connection;
			this.connection = null;
		}
		if (connection != null) {
			try {
				connection.close();
			}
			catch (RuntimeException ex) {
				logger.debug("The channel of released locks could not be left", ex);
			}
		}
	}

	@Override
	public void close() {
		synchronized (this) {
			this.closed.countDown();
		}
		closeConnection();
		if (this.master != null) {
			this.master.close();
		}
	}

}
