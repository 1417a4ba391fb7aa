package io.interlock.autoconfigure.zookeeper;

import java.util.Map;

import io.interlock.autoconfigure.store.ClientLogLevelsEnvironmentPostProcessor;

/** The loggers of Curator, which complains twice of a start without servers. */
class CuratorLogLevelsEnvironmentPostProcessor extends ClientLogLevelsEnvironmentPostProcessor {

	CuratorLogLevelsEnvironmentPostProcessor() {
		super("org.apache.curator",
				Map.of("org.apache.curator", "error", "org.apache.curator.framework.imps.CuratorFrameworkImpl", "off"));
	}

}
