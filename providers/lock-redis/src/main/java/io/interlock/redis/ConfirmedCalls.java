package io.interlock.redis;

import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;

import io.interlock.lease.LeaseStoreException;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.util.Assert;

/**
 * Runs scripts that count only when replicas have what they wrote. They have a connection
 * of their own, in a cluster one to each master, because a server answers nothing else on
 * a connection that waits for replicas. Safe for use by many threads.
 */
final class ConfirmedCalls implements AutoCloseable {

	private final MasterConnections connections;

	private final int replicas;

	private final Duration timeout;

	private final ConcurrentMap<StatefulRedisConnection<byte[], byte[]>, ConfirmedBatches> batches = new ConcurrentHashMap<>();

	private final ClusterRefresh refresh = new ClusterRefresh(this::client);

	private volatile @Nullable Open open;

	/** Whether another server may be the master now. */
	private volatile boolean stale;

	ConfirmedCalls(RedisConnectionFactory connections, int replicas, Duration timeout) {
		MasterConnections own = MasterConnections.of(connections);
		Assert.isTrue(own != null, "interlock.redis.wait-replicas needs the client Lettuce");
		this.connections = own;
		this.replicas = replicas;
		this.timeout = timeout;
	}

	/**
	 * Run a script as {@link ConfirmedBatches#run} does, without blocking: on a thread if
	 * there is no connection. The stage fails with a {@link LeaseStoreException}.
	 */
	CompletionStage<Long> run(RedisScript<Long> script, List<String> keys, List<String> arguments, Executor threads) {
		return connection(threads).thenCompose((connection) -> server(connection, keys.get(0)))
			.thenCompose((server) -> batchesOf(server).run(script, keys, arguments))
			.exceptionallyCompose((failure) -> CompletableFuture.failedStage(translate(failure, keys)));
	}

	private CompletionStage<StatefulConnection<byte[], byte[]>> connection(Executor threads) {
		Open open = this.open;
		return (open != null && open.connection.isOpen() && !this.stale)
				? CompletableFuture.completedStage(open.connection)
				: CompletableFuture.supplyAsync(this::connect, threads);
	}

	@SuppressWarnings({ "unchecked", "deprecation" })
	private StatefulConnection<byte[], byte[]> connect() {
		if (this.stale) {
			this.stale = false;
			this.connections.lookAgain();
		}
		LettuceConnectionFactory factory = this.connections.factory();
		try (RedisConnection shared = factory.getConnection()) {
			Object commands = shared.getNativeConnection();
			StatefulConnection<?, ?> connection = (commands instanceof RedisAdvancedClusterAsyncCommands<?, ?> cluster)
					? cluster.getStatefulConnection() : ((RedisAsyncCommands<?, ?>) commands).getStatefulConnection();
			Open open = new Open((StatefulConnection<byte[], byte[]>) connection, factory.getRequiredNativeClient());
			this.open = open;
			return open.connection;
		}
	}

	/** Return the connection to the server of a key. */
	private CompletionStage<StatefulRedisConnection<byte[], byte[]>> server(
			StatefulConnection<byte[], byte[]> connection, String key) {
		if (connection instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster) {
			RedisClusterNode master = cluster.getPartitions()
				.getMasterBySlot(SlotHash.getSlot(key.getBytes(StandardCharsets.UTF_8)));
			return (master != null) ? cluster.getConnectionAsync(master.getNodeId()) : CompletableFuture
				.failedStage(LeaseStoreException.passing("no master has the slot of " + key, null));
		}
		return CompletableFuture.completedStage((StatefulRedisConnection<byte[], byte[]>) connection);
	}

	private ConfirmedBatches batchesOf(StatefulRedisConnection<byte[], byte[]> server) {
		ConfirmedBatches known = this.batches.get(server);
		if (known != null) {
			return known;
		}
		this.batches.keySet().removeIf((each) -> !each.isOpen());
		return this.batches.computeIfAbsent(server, (added) -> {
			ConfirmedBatches batches = new ConfirmedBatches(new Commands(added.async()), this.replicas, this.timeout);
			added.addListener(new Breaks(batches));
			return batches;
		});
	}

	/** Fail, and look for the master again where another server may be it now. */
	private LeaseStoreException translate(Throwable failure, List<String> keys) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		if (cause instanceof LeaseStoreException refusal) {
			return refusal;
		}
		String message = String.valueOf(cause.getMessage());
		if (client() instanceof RedisClusterClient) {
			this.refresh.begin();
			if (message.startsWith("MOVED ") || message.startsWith("ASK ")) {
				return LeaseStoreException.passing("another master of the cluster has the lock now", cause);
			}
		}
		else if (!(cause instanceof RedisCommandExecutionException) || message.startsWith("READONLY")) {
			this.stale = this.connections.isStatic();
		}
		return RedisFailures.translate(cause, keys);
	}

	private @Nullable AbstractRedisClient client() {
		Open open = this.open;
		return (open != null) ? open.client : null;
	}

	@Override
	public void close() {
		this.connections.close();
	}

	private record Open(StatefulConnection<byte[], byte[]> connection, AbstractRedisClient client) {

	}

	private record Commands(RedisAsyncCommands<byte[], byte[]> commands) implements ConfirmedBatches.Commands {

		@Override
		public CompletionStage<Long> evaluate(RedisScript<Long> script, boolean known, List<String> keys,
				List<String> arguments) {
			byte[][] keyBytes = LettucePipeline.bytes(keys);
			byte[][] argumentBytes = LettucePipeline.bytes(arguments);
			return known ? this.commands.evalsha(script.getSha1(), ScriptOutputType.INTEGER, keyBytes, argumentBytes)
					: this.commands.eval(script.getScriptAsString(), ScriptOutputType.INTEGER, keyBytes, argumentBytes);
		}

		@Override
		public CompletionStage<Long> await(int replicas, Duration timeout) {
			return this.commands.waitForReplication(replicas, timeout.toMillis());
		}

	}

	private record Breaks(ConfirmedBatches batches) implements RedisConnectionStateListener {

		@Override
		public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress address) {
			this.batches.broke();
		}

		@Override
		public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
			this.batches.broke();
		}

	}

}
