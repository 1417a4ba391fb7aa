package io.interlock.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;

import io.interlock.admin.TooManyLocksException;
import io.interlock.lease.LeaseStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Runs scripts, and tells failures apart. How long a call takes is bounded by the timeout
 * of the connections. Safe for use by many threads.
 */
final class RedisCalls {

	private final StringRedisTemplate template;

	private final @Nullable LettucePipeline pipeline;

	/** {@code null} if there is no cluster, or its client is not Lettuce. */
	private final @Nullable ClusterRefresh refresh;

	RedisCalls(RedisConnectionFactory connections) {
		this.template = new StringRedisTemplate(connections);
		this.pipeline = LettucePipeline.of(connections);
		this.refresh = ClusterRefresh.of(connections);
	}

	/**
	 * Run a script without blocking: in the pipeline if it is open, otherwise on a thread
	 * that may block, which opens it. The stage fails with a {@link LeaseStoreException}.
	 */
	<T> CompletionStage<T> run(RedisScript<T> script, List<String> keys, List<String> arguments, Executor threads) {
		LettucePipeline pipeline = this.pipeline;
		if (pipeline == null) {
			return CompletableFuture.supplyAsync(() -> run(script, keys, arguments), threads);
		}
		if (pipeline.isOpen()) {
			return send(pipeline, script, keys, arguments);
		}
		return CompletableFuture.supplyAsync(() -> call(keys, (template) -> {
			pipeline.connect();
			return template;
		}), threads).thenCompose((template) -> send(pipeline, script, keys, arguments));
	}

	private <T> CompletionStage<T> send(LettucePipeline pipeline, RedisScript<T> script, List<String> keys,
			List<String> arguments) {
		CompletionStage<T> answer = pipeline.run(script, keys, arguments);
		return (this.refresh == null) ? answer : answer.whenComplete((result, failure) -> {
			if (failure != null && RedisFailures.translate(failure, keys).isPassing()) {
				refresh();
			}
		});
	}

	private void refresh() {
		if (this.refresh != null) {
			this.refresh.begin();
		}
	}

	/** Return whether scripts are sent one after the other, by the thread that calls. */
	boolean isPipelined() {
		return this.pipeline != null && this.pipeline.isOpen();
	}

	/**
	 * Run a script.
	 * @throws LeaseStoreException if it fails
	 */
	<T> T run(RedisScript<T> script, List<String> keys, List<String> arguments) {
		return call(keys, (template) -> {
			T result = template.execute(script, keys, arguments.toArray());
			if (result == null) {
				throw LeaseStoreException.passing("Redis returned nothing for a script", null);
			}
			return result;
		});
	}

	void put(String key, String field, String text) {
		call(List.of(key), (template) -> {
			template.opsForHash().put(key, field, text);
			return true;
		});
	}

	@Nullable String get(String key, String field) {
		return call(List.of(key), (template) -> template.<String, String>opsForHash().get(key, field));
	}

	/**
	 * Return whether the keys of a script must have one slot.
	 * @throws LeaseStoreException if there is no connection
	 */
	boolean isCluster() {
		return call(List.of(), (template) -> Boolean.TRUE
			.equals(template.execute((connection) -> connection instanceof RedisClusterConnection, true)));
	}

	/**
	 * Return the keys that match a pattern, on all masters.
	 * @throws LeaseStoreException if it fails, or there are too many keys to look at
	 */
	List<String> find(String pattern, String remedy) {
		return call(List.of(), (template) -> {
			List<String> keys = template.execute((connection) -> scan(connection, pattern, remedy), true);
			return (keys != null) ? keys : List.of();
		});
	}

	private List<String> scan(RedisConnection connection, String pattern, String remedy) {
		try {
			return new KeyScan(connection, remedy).find(pattern);
		}
		catch (LeaseStoreException ex) {
			refresh();
			throw ex;
		}
	}

	private <T extends @Nullable Object> T call(List<String> keys, Function<StringRedisTemplate, T> call) {
		try {
			return call.apply(this.template);
		}
		catch (LeaseStoreException | TooManyLocksException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			LeaseStoreException failure = RedisFailures.translate(ex, keys);
			if (failure.isPassing()) {
				refresh();
			}
			throw failure;
		}
	}

}
