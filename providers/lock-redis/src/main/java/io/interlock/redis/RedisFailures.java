package io.interlock.redis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.interlock.lease.LeaseStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Tells failures that may pass from failures that an operator has to mend. Redis marks
 * them by the beginning of a message, which a client or a script may have put into
 * another one.
 */
final class RedisFailures {

	private static final String OUT_OF_MEMORY = "OOM command not allowed";

	private RedisFailures() {
	}

	static LeaseStoreException translate(Throwable failure) {
		List<String> messages = messages(failure);
		for (Lasting lasting : Lasting.values()) {
			if (messages.stream().anyMatch(lasting::isIn)) {
				return LeaseStoreException.lasting(lasting.problem, lasting.remedy, failure);
			}
		}
		if (messages.stream().anyMatch((message) -> message.contains(OUT_OF_MEMORY))) {
			return LeaseStoreException.passing(
					"Redis has no memory left for locks; those that are held stay. Raise its maxmemory, remove other data, or give locks a server of their own",
					failure);
		}
		String last = messages.isEmpty() ? failure.toString() : messages.get(messages.size() - 1);
		return LeaseStoreException.passing("Redis does not answer, or refuses: " + last, failure);
	}

	private static List<String> messages(Throwable failure) {
		List<String> messages = new ArrayList<>();
		Throwable each = failure;
		for (int depth = 0; each != null && depth < 20; depth++) {
			@Nullable String message = each.getMessage();
			if (message != null) {
				messages.add(message);
			}
			each = each.getCause();
		}
		return messages;
	}

	private enum Lasting {

		CREDENTIALS("Redis does not accept the user or the password",
				"Check spring.data.redis.username and spring.data.redis.password", "NOAUTH", "WRONGPASS",
				"invalid password", "without any password configured"),

		PERMISSION("the Redis user may not do what locks need",
				"Allow it EVAL, EVALSHA, TIME, HGET, HGETALL, HSET, HDEL, HLEN, PTTL and PEXPIRE on the keys that begin with interlock.redis.key-prefix",
				"NOPERM", "can't run this command", "no permissions to"),

		COMMAND("Redis does not know a command",
				"Locks need Redis 5 or later, or a server that runs Lua scripts as it does", "unknown command",
				"Unknown Redis command"),

		TYPE("a key of a lock is used for something else",
				"Set interlock.redis.key-prefix to one that no other application uses", "WRONGTYPE"),

		FORMAT("another release of Interlock has written the lock, in a format that this one does not know",
				"Stop the instances of one of the two releases: their locks vanish from Redis after interlock.redis.keep-unused",
				"unknown format of a lock"),

		CLUSTER("the server is a node of a cluster", "Set spring.data.redis.cluster.nodes", "MOVED ", "CROSSSLOT");

		private final String problem;

		private final String remedy;

		private final String[] signs;

		Lasting(String problem, String remedy, String... signs) {
			this.problem = problem;
			this.remedy = remedy;
			this.signs = signs;
		}

		private boolean isIn(String message) {
			return Arrays.stream(this.signs).anyMatch(message::contains);
		}

	}

}
