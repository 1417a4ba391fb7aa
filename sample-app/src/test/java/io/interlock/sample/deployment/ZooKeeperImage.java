package io.interlock.sample.deployment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

import org.apache.zookeeper.server.quorum.QuorumPeerConfig;

/**
 * The official image of ZooKeeper: how it makes a configuration from its environment.
 *
 * @param environment variables, with those that the image sets itself
 */
record ZooKeeperImage(Map<String, String> environment) {

	private static final Map<String, String> DEFAULTS = Map.of("ZOO_TICK_TIME", "2000", "ZOO_INIT_LIMIT", "5",
			"ZOO_SYNC_LIMIT", "2", "ZOO_AUTOPURGE_PURGEINTERVAL", "0", "ZOO_AUTOPURGE_SNAPRETAINCOUNT", "3",
			"ZOO_MAX_CLIENT_CNXNS", "60", "ZOO_STANDALONE_ENABLED", "true", "ZOO_ADMINSERVER_ENABLED", "true",
			"ZK_SERVER_HEAP", "1000");

	private static final Map<String, String> SETTINGS = Map.of("tickTime", "ZOO_TICK_TIME", "initLimit",
			"ZOO_INIT_LIMIT", "syncLimit", "ZOO_SYNC_LIMIT", "autopurge.snapRetainCount",
			"ZOO_AUTOPURGE_SNAPRETAINCOUNT", "autopurge.purgeInterval", "ZOO_AUTOPURGE_PURGEINTERVAL", "maxClientCnxns",
			"ZOO_MAX_CLIENT_CNXNS", "standaloneEnabled", "ZOO_STANDALONE_ENABLED", "admin.enableServer",
			"ZOO_ADMINSERVER_ENABLED");

	static ZooKeeperImage with(Map<String, String> environment) {
		Map<String, String> all = new LinkedHashMap<>(DEFAULTS);
		all.putAll(environment);
		return new ZooKeeperImage(all);
	}

	/**
	 * Return whether servers of an image check the rights of a client that deletes an
	 * empty node: 3.9.6, 3.8.7 and later do (CVE-2026-79993).
	 */
	static boolean protectsEmptyNodes(String image) {
		Runtime.Version version = Runtime.Version.parse(image.replaceAll("^[^:]*:|@.*$", ""));
		return version.compareTo(Runtime.Version.parse("3.9.6")) >= 0
				|| (version.interim() == 8 && version.compareTo(Runtime.Version.parse("3.8.7")) >= 0);
	}

	int heapInMegabytes() {
		return Integer.parseInt(this.environment.get("ZK_SERVER_HEAP"));
	}

	/**
	 * Return the lines of {@code zoo.cfg}, but for the directories.
	 */
	Map<String, String> settings() {
		Map<String, String> settings = new LinkedHashMap<>();
		SETTINGS.forEach((setting, variable) -> settings.put(setting, this.environment.get(variable)));
		List<String> lines = new ArrayList<>(List.of(this.environment.get("ZOO_SERVERS").split("\\s+")));
		lines.addAll(List.of(this.environment.getOrDefault("ZOO_CFG_EXTRA", "").split("\\s+")));
		lines.add("4lw.commands.whitelist=" + this.environment.getOrDefault("ZOO_4LW_COMMANDS_WHITELIST", "srvr"));
		lines.stream().filter((line) -> !line.isEmpty()).forEach((line) -> {
			int end = line.indexOf('=');
			settings.put(line.substring(0, end), line.substring(end + 1));
		});
		return settings;
	}

	/**
	 * Let ZooKeeper read the configuration of the server with this id.
	 */
	QuorumPeerConfig read(Path directory, int id) throws IOException, QuorumPeerConfig.ConfigException {
		Files.writeString(directory.resolve("myid"), Integer.toString(id));
		Properties lines = new Properties();
		lines.putAll(settings());
		// In a jar of the distribution, which ZooKeeper would look for.
		lines.remove("metricsProvider.className");
		lines.setProperty("dataDir", directory.toString());
		lines.setProperty("dataLogDir", directory.toString());
		Path file = directory.resolve("zoo.cfg");
		try (var writer = Files.newBufferedWriter(file)) {
			lines.store(writer, null);
		}
		// What ZooKeeper does not know becomes a system property.
		Properties before = (Properties) System.getProperties().clone();
		try {
			QuorumPeerConfig config = new QuorumPeerConfig();
			config.parse(file.toString());
			return config;
		}
		finally {
			System.setProperties(before);
		}
	}

}
