package io.interlock.benchmark;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import io.interlock.benchmark.contestant.Versions;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooKeeper;

import org.springframework.boot.SpringBootVersion;
import org.springframework.integration.zookeeper.lock.ZookeeperLockRegistry;

/**
 * Describes what the figures were made on.
 */
final class Machine {

	private Machine() {
	}

	static String describe() {
		return "%d processors (%s), load %.2f at the start; %s %s; Java %s. Curator %s, ZooKeeper %s, Spring Boot %s, Spring Integration %s."
			.formatted(Runtime.getRuntime().availableProcessors(), processor(),
					ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(), System.getProperty("os.name"),
					System.getProperty("os.version"), System.getProperty("java.runtime.version"),
					Versions.of(CuratorFramework.class), Versions.of(ZooKeeper.class), SpringBootVersion.getVersion(),
					Versions.of(ZookeeperLockRegistry.class));
	}

	private static String processor() {
		try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
			return lines.filter((line) -> line.startsWith("model name"))
				.map((line) -> line.substring(line.indexOf(':') + 1).strip())
				.findFirst()
				.orElse("unknown");
		}
		catch (IOException ex) {
			return System.getProperty("os.arch");
		}
	}

}
