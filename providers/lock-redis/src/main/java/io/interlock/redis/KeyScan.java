package io.interlock.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.interlock.admin.TooManyLocksException;

import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.core.Cursor;
import org.springframework.data.redis.core.ScanOptions;

/**
 * Looks at the keys of a server, or of each master of a cluster, unless there are so many
 * that it would take long, or a master is away.
 */
final class KeyScan {

	private static final long MAX_KEYS = 1_000_000;

	private static final int STEP = 5000;

	private final RedisConnection connection;

	private final String remedy;

	KeyScan(RedisConnection connection, String remedy) {
		this.connection = connection;
		this.remedy = remedy;
	}

	List<String> find(String pattern) {
		ScanOptions options = ScanOptions.scanOptions().match(pattern).count(STEP).build();
		List<String> keys = new ArrayList<>();
		if (this.connection instanceof RedisClusterConnection cluster) {
			new ClusterMasters(cluster).sizes().forEach((master, size) -> {
				check(size);
				read(cluster.scan(master, options), keys);
			});
			return keys;
		}
		check(this.connection.serverCommands().dbSize());
		read(this.connection.keyCommands().scan(options), keys);
		return keys;
	}

	private void check(Long size) {
		if (size > MAX_KEYS) {
			throw new TooManyLocksException(
					"Redis has %d keys, too many to find locks among them. %s".formatted(size, this.remedy));
		}
	}

	private static void read(Cursor<byte[]> cursor, List<String> keys) {
		try (cursor) {
			cursor.forEachRemaining((key) -> keys.add(new String(key, StandardCharsets.UTF_8)));
		}
	}

}
