package io.interlock.faults.check;

/**
 * An attempt with a limit, as its caller reported it.
 *
 * @param instance instance of the caller
 * @param answeredAt when it ended
 * @param outcome how it ended
 * @param limit how long it was to wait at the most, in nanoseconds
 * @param elapsed how long it took
 * @param stalled for how long of that the whole process stood still
 */
public record ObservedAttempt(String instance, long answeredAt, Outcome outcome, long limit, long elapsed,
		long stalled) {

	/**
	 * Return whether the process stood still for long enough to spoil the sample.
	 * @return whether to set it aside
	 */
	boolean isSetAside() {
		return this.stalled > 0;
	}

	/**
	 * Return by how much the answer came too late.
	 * @return nanoseconds, negative if it came in time
	 */
	long error() {
		return this.elapsed - this.limit;
	}

	@Override
	public String toString() {
		return "%s of %s at %d, with a limit of %.1f ms after %.1f ms".formatted(this.outcome, this.instance,
				this.answeredAt, this.limit / 1e6, this.elapsed / 1e6);
	}

}
