package io.interlock.curator;

/**
 * The path that the connect string ends with does not exist on the servers.
 */
final class MissingChrootException extends Exception {

	MissingChrootException(Throwable cause) {
		super("the chroot of the connect string does not exist", cause);
	}

}
