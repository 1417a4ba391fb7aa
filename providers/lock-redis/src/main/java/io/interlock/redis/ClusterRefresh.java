package io.interlock.redis;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Asks the nodes of a cluster again who its masters are, after a command has failed. The
 * client does so only while it tries to make an open connection again: without one to the
 * dead master, it would connect to that in vain for each command. Asks once a second at
 * most, and not while it is asking. Safe for use by many threads.
 */
final class ClusterRefresh {

	private static final Log logger = LogFactory.getLog(ClusterRefresh.class);

	private static final boolean LETTUCE = ClassUtils.isPresent("io.lettuce.core.RedisClient",
			ClusterRefresh.class.getClassLoader());

	private static final long PERIOD = TimeUnit.SECONDS.toNanos(1);

	private final Supplier<@Nullable AbstractRedisClient> client;

	private final LongSupplier nanoTime;

	private final AtomicBoolean underWay = new AtomicBoolean();

	/** Changed by whom {@link #underWay} belongs to. */
	private volatile long last;

	ClusterRefresh(Supplier<@Nullable AbstractRedisClient> client) {
		this(client, System::nanoTime);
	}

	ClusterRefresh(Supplier<@Nullable AbstractRedisClient> client, LongSupplier nanoTime) {
		this.client = client;
		this.nanoTime = nanoTime;
		this.last = nanoTime.getAsLong() - PERIOD;
	}

	/**
	 * Return the refresh; {@code null} if the client is not Lettuce, or has no cluster.
	 */
	static @Nullable ClusterRefresh of(RedisConnectionFactory connections) {
		return (LETTUCE && connections instanceof LettuceConnectionFactory lettuce && lettuce.isClusterAware())
				? new ClusterRefresh(lettuce::getNativeClient) : null;
	}

	/** Ask, without blocking, because a command has failed. */
	void begin() {
		if (!this.underWay.compareAndSet(false, true)) {
			return;
		}
		long now = this.nanoTime.getAsLong();
		if (now - this.last < PERIOD) {
			this.underWay.set(false);
			return;
		}
		this.last = now;
		try {
			if (this.client.get() instanceof RedisClusterClient cluster) {
				cluster.getResources().eventExecutorGroup().execute(() -> ask(cluster));
			}
			else {
				this.underWay.set(false);
			}
		}
		catch (RuntimeException ex) {
			end(ex);
		}
	}

	private void ask(RedisClusterClient cluster) {
		try {
			cluster.refreshPartitionsAsync().whenComplete((none, failure) -> end(failure));
		}
		catch (RuntimeException ex) {
			end(ex);
		}
	}

	private void end(@Nullable Throwable failure) {
		this.underWay.set(false);
		if (failure != null) {
			logger.debug("The masters of the cluster cannot be determined", failure);
		}
	}

}
