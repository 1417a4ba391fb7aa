package io.interlock.faults.check;

/**
 * A resource that remembers the highest token it has seen and refuses writes with a
 * smaller one.
 */
final class FencedResource {

	private long highest;

	/**
	 * Write.
	 * @param token the token of whoever writes
	 * @return whether the write was accepted
	 */
	synchronized boolean write(long token) {
		if (token < this.highest) {
			return false;
		}
		this.highest = token;
		return true;
	}

}
