package io.interlock.zookeeper.internal.node;

/**
 * The path that the connect string ends with does not exist on the servers.
 *
 * @since 0.1.0
 */
public final class MissingChrootException extends Exception {

	MissingChrootException(Throwable cause) {
		super("the chroot of the connect string does not exist", cause);
	}

}
