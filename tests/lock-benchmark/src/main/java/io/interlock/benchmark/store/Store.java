package io.interlock.benchmark.store;

import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import io.interlock.testsupport.postgres.PostgresServer;
import io.interlock.testsupport.redis.RedisServer;

/**
 * What locks are kept in.
 *
 * @since 0.1.0
 */
public enum Store {

	/** One ZooKeeper server. */
	ZOOKEEPER("ZooKeeper", () -> true, OneZooKeeper::new),

	/** Three ZooKeeper servers. */
	ENSEMBLE("ZooKeeper, three servers", () -> true, ThreeZooKeepers::new),

	/** A PostgreSQL server. */
	POSTGRESQL("PostgreSQL", PostgresServer::isInstalled, Postgres::new),

	/** A Redis server. */
	REDIS("Redis", RedisServer::isInstalled, (directory) -> new Redis());

	private final String title;

	private final BooleanSupplier installed;

	private final Function<Path, StoreServer> starter;

	Store(String title, BooleanSupplier installed, Function<Path, StoreServer> starter) {
		this.title = title;
		this.installed = installed;
		this.starter = starter;
	}

	/**
	 * Return what tables call it.
	 * @return the title
	 */
	public String title() {
		return this.title;
	}

	/**
	 * Return whether it is there.
	 * @return {@code false} if it is not installed on this machine
	 */
	public boolean isInstalled() {
		return this.installed.getAsBoolean();
	}

	/**
	 * Start a server, or servers, and wait until they serve.
	 * @param directory where their data go
	 * @return the server
	 */
	public StoreServer start(Path directory) {
		return this.starter.apply(directory);
	}

}
