package io.interlock.jdbc.autoconfigure;

import java.util.Map;

import io.interlock.autoconfigure.store.ClientLogLevelsEnvironmentPostProcessor;

/** The logger of HikariCP that prints the stack of each connection that breaks. */
class HikariLogLevelsEnvironmentPostProcessor extends ClientLogLevelsEnvironmentPostProcessor {

	HikariLogLevelsEnvironmentPostProcessor() {
		super("com.zaxxer.hikari", Map.of("com.zaxxer.hikari.pool.ProxyConnection", "error"));
	}

}
