package io.interlock;

/**
 * An object that provides its own lock key, for {@link LockRequest#withKey} and the key
 * of an annotated method, also inside a list or record.
 *
 * @since 0.1.0
 */
public interface LockKeyed {

	/**
	 * Return what identifies this object, the same in every JVM. Called once for each
	 * acquisition, on the acquiring thread, before any request to a server.
	 * @return a key, such as a text, a number, or a list of keys; never {@code null}, and
	 * nothing that contains this object
	 */
	Object lockKey();

}
