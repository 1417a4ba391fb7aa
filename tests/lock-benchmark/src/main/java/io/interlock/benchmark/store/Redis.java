package io.interlock.benchmark.store;

import io.interlock.testsupport.redis.RedisServer;

/**
 * A Redis server that keeps its data in memory only. A restart loses them.
 */
final class Redis implements StoreServer {

	private final RedisServer server = RedisServer.start();

	@Override
	public String address() {
		return "127.0.0.1:" + this.server.port();
	}

	@Override
	public void kill() {
		this.server.kill();
	}

	@Override
	public void recover() {
		this.server.restart();
	}

	@Override
	public long requests() {
		String reads = "total_reads_processed:";
		return this.server.command("INFO", "stats")
			.stream()
			.filter((line) -> line.startsWith(reads))
			.mapToLong((line) -> Long.parseLong(line.substring(reads.length())))
			.findFirst()
			.orElseThrow();
	}

	@Override
	public long entries() {
		return Long.parseLong(this.server.command("DBSIZE").get(0));
	}

	@Override
	public String describe() {
		return RedisServer.version();
	}

	@Override
	public void close() {
		this.server.close();
	}

}
