package io.interlock.autoconfigure.curator;

import org.jspecify.annotations.Nullable;

/**
 * TLS to ZooKeeper cannot be set up.
 */
class ZooKeeperTlsException extends RuntimeException {

	private final String action;

	ZooKeeperTlsException(String description, String action, @Nullable Throwable cause) {
		super(description, cause);
		this.action = action;
	}

	String getAction() {
		return this.action;
	}

}
