package io.interlock.test;

/**
 * AssertJ assertions for the acquisitions that {@link TestLocksAssert#acquired} has
 * found, and for other locks.
 *
 * @since 0.1.0
 */
public final class LockAcquisitionsAssert extends TestLocksAssert {

	private final String lock;

	private final long count;

	LockAcquisitionsAssert(TestLocks locks, String lock, long count) {
		super(locks);
		this.lock = lock;
		this.count = count;
	}

	/**
	 * Verify how often the lock was acquired.
	 * @param times the number
	 * @return this
	 */
	public TestLocksAssert times(int times) {
		return check(this.count == times, "Expected lock %s to be acquired %s, but it was acquired %s."
			.formatted(this.lock, inWords(times), inWords(this.count)));
	}

	private static String inWords(long times) {
		return (times == 1) ? "once" : times + " times";
	}

}
