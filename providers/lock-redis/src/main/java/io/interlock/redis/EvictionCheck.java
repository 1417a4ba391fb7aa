package io.interlock.redis;

import java.util.Properties;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * Warns once of a server that may evict the keys of locks when its memory is full. What
 * the server does not tell is not known: some refuse such questions.
 */
final class EvictionCheck {

	private static final Log logger = LogFactory.getLog(EvictionCheck.class);

	private static final String LIMIT = "maxmemory";

	private static final String NO_EVICTION = "noeviction";

	private boolean answered;

	/**
	 * Ask the server, unless it has answered before. For one thread.
	 */
	void check(RedisConnection connection) {
		if (!this.answered) {
			this.answered = check(ask(() -> connection.serverCommands().info("memory")), "maxmemory_policy")
					|| check(ask(() -> connection.serverCommands().getConfig("maxmemory*")), "maxmemory-policy");
		}
	}

	private static @Nullable Properties ask(Supplier<@Nullable Properties> question) {
		try {
			return question.get();
		}
		catch (RuntimeException ex) {
			logger.debug("It is not known whether Redis may evict locks", ex);
			return null;
		}
	}

	/**
	 * Return whether an answer tells the policy. In a cluster the name of each property
	 * begins with that of a node.
	 */
	private static boolean check(@Nullable Properties answer, String policy) {
		if (answer == null) {
			return false;
		}
		Stream<String> policies = answer.stringPropertyNames().stream().filter((name) -> name.endsWith(policy));
		policies.filter((name) -> evicts(answer, name, name.substring(0, name.length() - policy.length())))
			.findFirst()
			.ifPresent((name) -> logger
				.warn(("Redis may evict held locks, so that others can acquire them: its maxmemory-policy is %s. Set "
						+ "it to noeviction, or give locks a server of their own")
					.formatted(answer.getProperty(name))));
		return answer.stringPropertyNames().stream().anyMatch((name) -> name.endsWith(policy));
	}

	private static boolean evicts(Properties answer, String policy, String node) {
		return !answer.getProperty(policy).equals(NO_EVICTION) && !answer.getProperty(node + LIMIT, "0").equals("0");
	}

}
