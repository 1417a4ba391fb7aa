package io.interlock.redis.autoconfigure;

import java.util.Map;

import io.interlock.autoconfigure.store.ClientLogLevelsEnvironmentPostProcessor;

/** The loggers of Lettuce that name each attempt to connect again. */
class LettuceLogLevelsEnvironmentPostProcessor extends ClientLogLevelsEnvironmentPostProcessor {

	LettuceLogLevelsEnvironmentPostProcessor() {
		super("io.lettuce",
				Map.of("io.lettuce.core.protocol.ConnectionWatchdog", "error",
						"io.lettuce.core.protocol.CommandHandler", "warn",
						"io.lettuce.core.cluster.topology.DefaultClusterTopologyRefresh", "error"));
	}

}
