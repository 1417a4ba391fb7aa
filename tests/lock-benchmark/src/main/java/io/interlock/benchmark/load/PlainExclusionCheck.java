package io.interlock.benchmark.load;

import io.interlock.LockMode;

/**
 * A check of exclusive holders within this JVM: plain fields, so that the lock alone
 * makes them right.
 *
 * @since 0.1.0
 */
public final class PlainExclusionCheck implements ExclusionCheck {

	private long holder;

	private long begun;

	private long ended;

	@Override
	public void enter(long holder, LockMode mode) {
		expect(0, holder);
		this.holder = holder;
		this.begun++;
	}

	@Override
	public void exit(long holder, LockMode mode) {
		expect(holder, holder);
		this.ended++;
		this.holder = 0;
	}

	private void expect(long expected, long self) {
		long seen = this.holder;
		if (seen != expected) {
			throw new ExclusionViolation("Holder %d saw %d".formatted(self, seen));
		}
	}

	@Override
	public long exclusiveHolders() {
		if (this.begun != this.ended) {
			throw new ExclusionViolation("%d began and %d ended".formatted(this.begun, this.ended));
		}
		return this.ended;
	}

}
