package io.interlock.faults.chaos;

import java.util.ArrayList;
import java.util.List;

import io.interlock.testsupport.redis.RedisServer;

/**
 * What the locks of a run have in a Redis server.
 */
final class RedisContents {

	private RedisContents() {
	}

	static String keyOf(String lock) {
		return "interlock:{" + lock + "}";
	}

	/**
	 * Return the time of the server in microseconds.
	 */
	static long time(RedisServer server) {
		List<String> time = server.command("TIME");
		return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
	}

	/**
	 * Return the contenders whose leases run.
	 */
	static List<String> left(RedisServer server) {
		List<String> left = new ArrayList<>();
		long now = time(server);
		for (String key : server.command("KEYS", keyOf("*"))) {
			for (String value : server.command("HVALS", key)) {
				String[] words = value.split(" ");
				if (words.length > 5 && Long.parseLong(words[4]) > now) {
					left.add(key + " " + value);
				}
			}
		}
		return left;
	}

}
