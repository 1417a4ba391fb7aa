package io.interlock.faults.chaos;

import java.time.Duration;
import java.util.function.Function;

import io.interlock.faults.chaos.Fault.Lane;
import io.interlock.testsupport.redis.RedisServer;
import org.awaitility.Awaitility;

/**
 * Turns the key of a lock into a string, as another application does, and deletes it when
 * the longest lease is over. It costs the hold of that lock, and no other one. In the
 * lane of the servers, so that no fail-over keeps the string.
 */
final class ForeignKeys {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final Function<String, RedisServer> servers;

	/**
	 * Create the fault.
	 * @param servers the server of each lock
	 */
	ForeignKeys(Function<String, RedisServer> servers) {
		this.servers = servers;
	}

	Fault fault() {
		return new Fault("KEY_FOREIGN", Lane.SERVERS, 7000, 9000, this::replace);
	}

	private void replace(Site site) throws InterruptedException {
		String lock = site.lock();
		site.during("key of " + lock,
				() -> command("OK", lock, "SET", RedisContents.keyOf(lock), "another application's"),
				() -> command("\\d+", lock, "DEL", RedisContents.keyOf(lock)));
	}

	/**
	 * A server that has just come back refuses commands for a moment. A lock whose key
	 * was not replaced has holders, and would lose them with its key.
	 */
	private void command(String answer, String lock, String... words) {
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> String.join(" ", this.servers.apply(lock).command(words)).matches(answer));
	}

}
