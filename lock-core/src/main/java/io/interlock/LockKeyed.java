package io.interlock;

/**
 * An object that says which key it is. It can stand wherever a key of a lock can: in
 * {@link LockRequest#withKey}, in the key of an annotated method, and inside of a list or
 * record there.
 *
 * @since 0.1.0
 */
public interface LockKeyed {

	/**
	 * Return what identifies this object, the same in every JVM. Called once for each
	 * acquisition, on the thread that asks for the lock, before any server is asked.
	 * @return a value of a type that can be a key, such as a text, a number, or a list of
	 * such; never {@code null}, and nothing that contains this object
	 */
	Object lockKey();

}
