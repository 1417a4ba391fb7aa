package io.interlock.faults.counter;

/**
 * Where an instance can stand still on its way to an increment that is committed.
 */
public enum Moment {

	/**
	 * It has the lock, and no transaction yet.
	 */
	HELD("before the transaction"),

	/**
	 * It has read the counter, and not written it yet.
	 */
	READ("between read and write"),

	/**
	 * It has looked at its lock for the last time, and the database has not heard of the
	 * commit yet.
	 */
	COMMIT("between the last look at the lock and the commit");

	private final String description;

	Moment(String description) {
		this.description = description;
	}

	@Override
	public String toString() {
		return this.description;
	}

}
