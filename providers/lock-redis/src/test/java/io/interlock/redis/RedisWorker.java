package io.interlock.redis;

import java.time.Duration;

import io.interlock.testing.process.LockWorker;

import org.springframework.data.redis.connection.RedisConfiguration;

/**
 * An instance in a JVM of its own, on the server at a port.
 */
final class RedisWorker {

	private RedisWorker() {
	}

	public static void main(String[] arguments) throws Exception {
		RedisConfiguration server = RedisInstances.server(Integer.parseInt(arguments[0]));
		// Its commands are no part of a lease.
		RedisInstances patient = new RedisInstances(Duration.ofMinutes(1));
		LockWorker.run(new RedisInstances(Duration.parse(arguments[1])).start(server),
				new RedisCounter(patient.connections(server)));
	}

}
