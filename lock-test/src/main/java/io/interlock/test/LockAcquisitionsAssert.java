package io.interlock.test;

/**
 * AssertJ assertions for the acquisitions that {@link TestLocksAssert#acquired} has
 * found, and for other locks.
 *
 * @since 0.1.0
 */
public final class LockAcquisitionsAssert extends TestLocksAssert {

	private final String lock;

	private final int count;

	LockAcquisitionsAssert(TestLocks locks, LockHistory history, String lock, int count) {
		super(locks, history);
		this.lock = lock;
		this.count = count;
	}

	/**
	 * Verify how often the lock was acquired.
	 * @param times the number
	 * @return this
	 */
	public LockAcquisitionsAssert times(int times) {
		if (this.count != times) {
			fail("Expected lock %s to be acquired %s, but it was acquired %s.".formatted(this.lock, inWords(times),
					inWords(this.count)));
		}
		return this;
	}

	/**
	 * Verify that the lock was acquired once.
	 * @return this
	 */
	public LockAcquisitionsAssert once() {
		return times(1);
	}

	private static String inWords(int times) {
		return (times == 1) ? "once" : times + " times";
	}

}
