package io.interlock.testing.process;

/**
 * A number in the store, which loses counts unless a lock excludes its users.
 */
public interface SharedCounter {

	/**
	 * {@return the value that was written last}
	 * @throws Exception if the store does not answer
	 */
	int read() throws Exception;

	/**
	 * Write a value, whatever the last one was.
	 * @param value the new value
	 * @throws Exception if the store does not answer
	 */
	void write(int value) throws Exception;

}
