package io.interlock.zookeeper.internal.client;

import org.jspecify.annotations.Nullable;

/**
 * Thrown on startup when ZooKeeper cannot be used as configured, with what to do.
 *
 * @since 0.1.0
 */
public class ZooKeeperStartupException extends RuntimeException {

	private final String action;

	public ZooKeeperStartupException(String description, String action, @Nullable Throwable cause) {
		super(description, cause);
		this.action = action;
	}

	public String getAction() {
		return this.action;
	}

}
