package io.interlock.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.interlock.lease.LeaseStoreException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.util.ClassUtils;

/**
 * The connection of Lettuce that all threads share. The calling thread sends a command;
 * the thread of the client that reads the answer completes it. Invariants: nothing blocks
 * here, so a connection is made by a call that may block, see {@link #connect()}; and a
 * command ends in time, because no other factory is used than one whose client ends it.
 * Safe for use by many threads.
 */
final class LettucePipeline {

	private static final boolean LETTUCE = ClassUtils.isPresent("io.lettuce.core.RedisClient",
			LettucePipeline.class.getClassLoader());

	private final LettuceConnectionFactory connections;

	private volatile @Nullable RedisClusterAsyncCommands<byte[], byte[]> commands;

	private volatile @Nullable StatefulConnection<byte[], byte[]> connection;

	private LettucePipeline(LettuceConnectionFactory connections) {
		this.connections = connections;
	}

	/** Return the pipeline, or {@code null} if these connections have none to share. */
	static @Nullable LettucePipeline of(RedisConnectionFactory connections) {
		return (LETTUCE && connections instanceof LettuceConnectionFactory lettuce && lettuce.getShareNativeConnection()
				&& endsCommands(lettuce)) ? new LettucePipeline(lettuce) : null;
	}

	private static boolean endsCommands(LettuceConnectionFactory connections) {
		return connections.getClientConfiguration()
			.getClientOptions()
			.map((options) -> options.getTimeoutOptions().isTimeoutCommands())
			.orElse(TimeoutOptions.DEFAULT_TIMEOUT_COMMANDS);
	}

	boolean isOpen() {
		StatefulConnection<byte[], byte[]> connection = this.connection;
		return connection != null && connection.isOpen();
	}

	/** Use the connection that is shared now, and make it before if there is none. */
	@SuppressWarnings("deprecation")
	void connect() {
		try (RedisConnection shared = this.connections.getConnection()) {
			Object commands = shared.getNativeConnection();
			if (commands instanceof RedisAsyncCommands<?, ?> single) {
				use(commands, single.getStatefulConnection());
			}
			else if (commands instanceof RedisAdvancedClusterAsyncCommands<?, ?> cluster) {
				use(commands, cluster.getStatefulConnection());
			}
		}
	}

	@SuppressWarnings("unchecked")
	private void use(Object commands, StatefulConnection<?, ?> connection) {
		this.commands = (RedisClusterAsyncCommands<byte[], byte[]>) commands;
		this.connection = (StatefulConnection<byte[], byte[]>) connection;
	}

	/** Run a script. The stage fails with a {@link LeaseStoreException}. */
	<T> CompletionStage<T> run(RedisScript<T> script, List<String> keys, List<String> arguments) {
		RedisClusterAsyncCommands<byte[], byte[]> commands = this.commands;
		if (commands == null) {
			throw new IllegalStateException("There is no connection");
		}
		byte[][] keyBytes = bytes(keys);
		byte[][] argumentBytes = bytes(arguments);
		ScriptOutputType type = (script.getResultType() == List.class) ? ScriptOutputType.MULTI
				: ScriptOutputType.INTEGER;
		CompletionStage<T> answer = commands.evalsha(script.getSha1(), type, keyBytes, argumentBytes);
		return answer.exceptionallyCompose((failure) -> {
			if (!(failure instanceof RedisNoScriptException)) {
				return CompletableFuture.failedStage(RedisFailures.translate(failure, keys));
			}
			CompletionStage<T> again = commands.eval(script.getScriptAsString(), type, keyBytes, argumentBytes);
			return again
				.exceptionallyCompose((next) -> CompletableFuture.failedStage(RedisFailures.translate(next, keys)));
		});
	}

	static byte[][] bytes(List<String> texts) {
		byte[][] bytes = new byte[texts.size()][];
		for (int i = 0; i < bytes.length; i++) {
			bytes[i] = texts.get(i).getBytes(StandardCharsets.UTF_8);
		}
		return bytes;
	}

}
