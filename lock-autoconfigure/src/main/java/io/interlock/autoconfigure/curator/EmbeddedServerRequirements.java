package io.interlock.autoconfigure.curator;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * What must hold before ZooKeeper's server is started, because the server itself only
 * hangs when it does not.
 */
final class EmbeddedServerRequirements {

	static final String METRICS_LIBRARY = "io.dropwizard.metrics:metrics-core:4.1.12.1";

	static final String SNAPPY_LIBRARY = "org.xerial.snappy:snappy-java:1.1.10.5";

	private EmbeddedServerRequirements() {
	}

	static void checkLibraries(@Nullable ClassLoader classLoader) {
		checkLibrary("com.codahale.metrics.Reservoir", METRICS_LIBRARY, classLoader);
		checkLibrary("org.xerial.snappy.SnappyInputStream", SNAPPY_LIBRARY, classLoader);
	}

	private static void checkLibrary(String className, String library, @Nullable ClassLoader classLoader) {
		if (!ClassUtils.isPresent(className, classLoader)) {
			throw new EmbeddedZooKeeperException(
					"The embedded ZooKeeper server cannot run, because the class '%s' is missing.".formatted(className),
					"Add the dependencies '%s' and '%s' to the runtime class path, or remove "
						.formatted(METRICS_LIBRARY, SNAPPY_LIBRARY) + "interlock.zookeeper.embedded.enabled.",
					null);
		}
	}

	static void checkPort(String address, int port) {
		try (ServerSocket socket = new ServerSocket()) {
			socket.setReuseAddress(true);
			socket.bind(new InetSocketAddress(address, port));
		}
		catch (IOException ex) {
			throw new EmbeddedZooKeeperException(
					"The embedded ZooKeeper server cannot listen on port %d of %s: %s.".formatted(port, address,
							ex.getMessage()),
					"Set interlock.zookeeper.embedded.port to another port, or to 0 for a free one. To use the ZooKeeper "
							+ "that already listens there, set interlock.zookeeper.embedded.enabled=false and "
							+ "interlock.zookeeper.connect-string=localhost:%d.".formatted(port),
					ex);
		}
	}

}
