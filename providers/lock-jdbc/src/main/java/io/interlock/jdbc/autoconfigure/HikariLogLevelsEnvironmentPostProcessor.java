package io.interlock.jdbc.autoconfigure;

import java.util.Map;

import io.interlock.autoconfigure.store.ClientLogLevelsEnvironmentPostProcessor;

/**
 * The loggers of HikariCP that print the stack of each connection that breaks, or that
 * cannot be opened.
 */
class HikariLogLevelsEnvironmentPostProcessor extends ClientLogLevelsEnvironmentPostProcessor {

	HikariLogLevelsEnvironmentPostProcessor() {
		super("com.zaxxer.hikari",
				Map.of("com.zaxxer.hikari.pool.ProxyConnection", "error", "com.zaxxer.hikari.pool.PoolBase", "error"));
	}

}
