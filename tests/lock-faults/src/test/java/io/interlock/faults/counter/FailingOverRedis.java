package io.interlock.faults.counter;

import java.time.Duration;

import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.redis.RedisServer;
import org.awaitility.Awaitility;

/**
 * Redis with a replica that becomes the server without having heard of the last writes.
 */
final class FailingOverRedis implements AutoCloseable {

	private final TcpProxy link;

	private RedisServer server;

	private RedisServer replica;

	private TcpProxy replication;

	FailingOverRedis() {
		this.server = start();
		this.replica = start();
		this.replication = replicate(this.server, this.replica);
		this.link = TcpProxy.to(this.server.port());
	}

	private static RedisServer start() {
		return RedisServer.start("--repl-diskless-sync-delay", "0");
	}

	private static TcpProxy replicate(RedisServer server, RedisServer replica) {
		TcpProxy replication = TcpProxy.to(server.port());
		replica.command("REPLICAOF", "127.0.0.1", Integer.toString(replication.port()));
		return replication;
	}

	/**
	 * {@return the port at which applications find the server}
	 */
	int port() {
		return this.link.port();
	}

	/**
	 * Let the replica hear of nothing from now on.
	 */
	void loseWrites() {
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> this.replica.command("INFO", "replication")
				.stream()
				.anyMatch((line) -> line.strip().equals("master_link_status:up")));
		this.replication.holdReplies();
	}

	/**
	 * Kill the server, and go on with the replica, which gets one of its own.
	 */
	void failOver() {
		RedisServer old = this.server;
		old.kill();
		this.server = this.replica;
		this.server.command("REPLICAOF", "NO", "ONE");
		this.link.redirect(this.server.port());
		this.link.cut();
		this.replication.close();
		old.close();
		this.replica = start();
		this.replication = replicate(this.server, this.replica);
	}

	@Override
	public void close() {
		this.link.close();
		this.replication.close();
		this.replica.close();
		this.server.close();
	}

}
