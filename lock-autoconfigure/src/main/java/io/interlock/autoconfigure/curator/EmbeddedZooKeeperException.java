package io.interlock.autoconfigure.curator;

import org.jspecify.annotations.Nullable;

/**
 * The embedded ZooKeeper server cannot run.
 */
class EmbeddedZooKeeperException extends RuntimeException {

	private final String action;

	EmbeddedZooKeeperException(String description, String action, @Nullable Throwable cause) {
		super(description, cause);
		this.action = action;
	}

	String getAction() {
		return this.action;
	}

}
