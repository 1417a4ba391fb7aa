package io.interlock.redis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.interlock.lease.LeaseStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Tells failures that may pass from failures that an operator has to mend. Redis marks
 * them by the beginning of a message, which a client or a script may have put into
 * another one.
 */
final class RedisFailures {

	/** What the scripts tell of a key. */
	private static final Pattern WHAT_IS_THERE = Pattern.compile("no lock: it (holds an? \\w+|[\\w ]+ field \\S+)");

	private static final String WRONG_TYPE = "WRONGTYPE";

	private static final String OUT_OF_MEMORY = "OOM command not allowed";

	private RedisFailures() {
	}

	/** Translate the failure of what was done with some keys. */
	static LeaseStoreException translate(Throwable failure, List<String> keys) {
		List<String> messages = messages(failure);
		for (Lasting lasting : Lasting.values()) {
			if (messages.stream().anyMatch(lasting::isIn)) {
				return lasting.failure((keys.size() == 1) ? whatIsThere(keys.get(0), messages) : "", failure);
			}
		}
		if (messages.stream().anyMatch((message) -> message.contains(OUT_OF_MEMORY))) {
			return LeaseStoreException.passing(
					"Redis has no memory left for further locks; held locks stay held. Raise its maxmemory, remove other data, or give "
							+ "locks a server of their own",
					failure);
		}
		return LeaseStoreException
			.passing("Redis is not available: " + (messages.isEmpty() ? failure.toString() : cause(messages)), failure);
	}

	/** The client puts the address behind the message of the system. */
	private static String cause(List<String> messages) {
		String last = messages.get(messages.size() - 1);
		String wrapper = messages.get(Math.max(0, messages.size() - 2));
		return wrapper.startsWith(last) ? wrapper : last;
	}

	/** Return the failure of a key that has something else than a lock. */
	static LeaseStoreException noLock(String key, String answer) {
		return translate(new IllegalStateException(answer), List.of(key));
	}

	private static String whatIsThere(String key, List<String> messages) {
		return messages.stream()
			.map(WHAT_IS_THERE::matcher)
			.filter(Matcher::find)
			.findFirst()
			.map((found) -> ": %s %s".formatted(key, found.group(1)))
			.orElseGet(() -> messages.stream().anyMatch((message) -> message.contains(WRONG_TYPE)) ? ": " + key : "");
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

		TYPE("a key of a lock is used for something else",
				"Delete the key, and set interlock.redis.key-prefix to one that no other application uses", WRONG_TYPE,
				"no lock: it holds"),

		FORMAT("another release of Interlock or another application wrote the lock, in a format that this release "
				+ "does not know",
				"Stop the instances of one of the two releases: their locks vanish from Redis after interlock.redis.keep-unused. If there is one release only, delete the key",
				"no lock: it has it"),

		CREDENTIALS("Redis does not accept the user or the password",
				"Check spring.data.redis.username and spring.data.redis.password", "NOAUTH", "WRONGPASS",
				"invalid password", "without any password configured"),

		PERMISSION("the Redis user lacks permissions that locks need",
				"Allow it EVAL, EVALSHA, TIME, HGET, HGETALL, HSET, HDEL, HLEN, PTTL and PEXPIRE on the keys that begin with interlock.redis.key-prefix, SCAN and DBSIZE to show the locks of all instances, and WAIT with interlock.redis.wait-replicas",
				"NOPERM", "can't run this command", "no permissions to"),

		COMMAND("Redis does not know a command",
				"Locks need Redis 5 or later, or a server that runs Lua scripts as it does", "unknown command",
				"Unknown Redis command"),

		CLUSTER("the server is a node of a cluster", "Set spring.data.redis.cluster.nodes", "MOVED ", "CROSSSLOT");

		private final String problem;

		private final String remedy;

		private final String[] signs;

		Lasting(String problem, String remedy, String... signs) {
			this.problem = problem;
			this.remedy = remedy;
			this.signs = signs;
		}

		private LeaseStoreException failure(String details, Throwable cause) {
			return LeaseStoreException.lasting(this.problem + details, this.remedy, cause);
		}

		private boolean isIn(String message) {
			return Arrays.stream(this.signs).anyMatch(message::contains);
		}

	}

}
