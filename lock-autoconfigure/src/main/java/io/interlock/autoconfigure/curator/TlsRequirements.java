package io.interlock.autoconfigure.curator;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * What must be on the class path before a client with TLS is started: without it the
 * client only fails on a thread of its own, once for every attempt to connect.
 */
final class TlsRequirements {

	private TlsRequirements() {
	}

	static void check(@Nullable ClassLoader classLoader) {
		checkLibrary("io.netty.handler.ssl.SslHandler", "io.netty:netty-handler", classLoader);
		checkLibrary("io.netty.channel.epoll.Epoll", "io.netty:netty-transport-classes-epoll", classLoader);
	}

	private static void checkLibrary(String className, String library, @Nullable ClassLoader classLoader) {
		if (!ClassUtils.isPresent(className, classLoader)) {
			throw new ZooKeeperTlsException(
					"ZooKeeper's client needs Netty for TLS, but the class '%s' is missing.".formatted(className),
					"Add the dependency '%s', or do not exclude it from 'org.apache.zookeeper:zookeeper'. "
						.formatted(library) + "To connect without TLS, remove interlock.zookeeper.ssl.",
					null);
		}
	}

}
