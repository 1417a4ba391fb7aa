package io.interlock.faults.check;

/**
 * A counter that remembers the highest token it has seen and refuses a smaller one. Its
 * users read it and write what they have read plus one, so that an update is lost where
 * two of them are let in at a time.
 */
final class FencedResource {

	private long highest;

	private long value;

	/**
	 * Read.
	 * @param token the token of the reader
	 * @return the value, or -1 if a higher token was here
	 */
	synchronized long read(long token) {
		if (token < this.highest) {
			return -1;
		}
		this.highest = token;
		return this.value;
	}

	/**
	 * Write the value that follows one that was read.
	 * @param token the token of the writer
	 * @param read what it has read
	 * @return what came of it
	 */
	synchronized Update update(long token, long read) {
		if (token < this.highest) {
			return Update.REFUSED;
		}
		this.highest = token;
		boolean lost = read != this.value;
		this.value = read + 1;
		return lost ? Update.ACCEPTED_OVER_ANOTHER : Update.ACCEPTED;
	}

	/**
	 * What came of an update.
	 */
	enum Update {

		ACCEPTED, REFUSED,

		/**
		 * An update between the read and the write is lost.
		 */
		ACCEPTED_OVER_ANOTHER

	}

}
