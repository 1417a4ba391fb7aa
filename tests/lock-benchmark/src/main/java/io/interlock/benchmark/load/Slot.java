package io.interlock.benchmark.load;

/**
 * A key, and what the lock on it guards.
 */
final class Slot {

	private final String key;

	private final ExclusionCheck check;

	private long endedAt;

	Slot(String key, ExclusionCheck check) {
		this.key = key;
		this.check = check;
	}

	String key() {
		return this.key;
	}

	ExclusionCheck check() {
		return this.check;
	}

	/**
	 * An exclusive holder ends.
	 * @param now the time
	 */
	void ended(long now) {
		this.endedAt = now;
	}

	/**
	 * An exclusive holder begins.
	 * @param now the time
	 * @return for how long no other did in this JVM
	 */
	long aside(long now) {
		return (this.endedAt != 0) ? now - this.endedAt : 0;
	}

}
