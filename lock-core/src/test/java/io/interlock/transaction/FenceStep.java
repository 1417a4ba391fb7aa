package io.interlock.transaction;

/**
 * A step of a holder in a {@link FenceSimulation}.
 *
 * @param kind what it does
 * @param lock number of the lock, if it is about one
 * @param level 0 in the outer transaction, 1 in one of its own within it
 */
record FenceStep(Kind kind, int lock, int level) {

	static FenceStep grant(int lock) {
		return new FenceStep(Kind.GRANT, lock, 0);
	}

	static FenceStep release(int lock) {
		return new FenceStep(Kind.RELEASE, lock, 0);
	}

	static FenceStep pass(int lock, int level) {
		return new FenceStep(Kind.PASS, lock, level);
	}

	static FenceStep read(int lock, int level) {
		return new FenceStep(Kind.READ, lock, level);
	}

	static FenceStep rollbackToSavepoint(int lock) {
		return new FenceStep(Kind.ROLLBACK_TO_SAVEPOINT, lock, 0);
	}

	static FenceStep commit(int level) {
		return new FenceStep(Kind.COMMIT, 0, level);
	}

	static FenceStep rollback() {
		return new FenceStep(Kind.ROLLBACK, 0, 0);
	}

	enum Kind {

		/**
		 * Be granted a lock, which the holder before has lost if it has not released it.
		 */
		GRANT,

		RELEASE,

		/** Set the row of a lock, when no other transaction has it locked. */
		PASS,

		/** Read what the lock protects, to write it with one added at the commit. */
		READ,

		/** Undo a read, and that the row was passed, which is behind the savepoint. */
		ROLLBACK_TO_SAVEPOINT,

		COMMIT,

		ROLLBACK

	}

}
