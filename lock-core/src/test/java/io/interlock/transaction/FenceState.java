package io.interlock.transaction;

import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Where the holders of a {@link FenceSimulation} and the database are between two steps.
 * All of it is one array of numbers, which is copied for each step.
 */
final class FenceState {

	static final int LOCKS = 2;

	private static final int NONE = 0;

	/**
	 * Of each lock: token granted last, token and owner of its row, its protected
	 * counter.
	 */
	private static final int GRANTED = 0;

	private static final int ROW = 1;

	private static final int OWNER = 2;

	private static final int VERSION = 3;

	private static final int COUNTER = 4;

	private static final int COMMITTED = 5;

	private static final int LOCK_SIZE = 6;

	/**
	 * Of each holder: its next step, and for each lock its token and whether it left it.
	 */
	private static final int NEXT = 0;

	private static final int TOKEN = 1;

	private static final int RELEASED = TOKEN + LOCKS;

	private static final int TRANSACTIONS = RELEASED + LOCKS;

	/** Of each transaction, for each lock: what it has read, and the row before it. */
	private static final int READ = 0;

	private static final int UNDO = READ + LOCKS;

	private static final int SNAPSHOT = UNDO + LOCKS;

	private static final int SEEN = SNAPSHOT + 1;

	private static final int SEEN_VERSION = SEEN + LOCKS;

	private static final int TRANSACTION_SIZE = SEEN_VERSION + LOCKS;

	private static final int HOLDER_SIZE = TRANSACTIONS + 2 * TRANSACTION_SIZE;

	private static final int ENDED = -1;

	private final Set<FenceRule> rules;

	private final Snapshot snapshot;

	private final int[] cells;

	private @Nullable String violation;

	FenceState(Set<FenceRule> rules, Snapshot snapshot, int holders) {
		this(rules, snapshot, new int[LOCKS * LOCK_SIZE + holders * HOLDER_SIZE]);
	}

	private FenceState(Set<FenceRule> rules, Snapshot snapshot, int[] cells) {
		this.rules = rules;
		this.snapshot = snapshot;
		this.cells = cells;
	}

	FenceState copy() {
		return new FenceState(this.rules, this.snapshot, this.cells.clone());
	}

	Object key() {
		return IntBuffer.wrap(this.cells);
	}

	@Nullable String violation() {
		return this.violation;
	}

	/** Return the number of the next step of a holder. */
	int next(int holder) {
		return this.cells[holder(holder) + NEXT];
	}

	boolean isEnded(int holder) {
		return next(holder) == ENDED;
	}

	/** Take a step, and return whether that was possible. */
	boolean take(int holder, FenceStep step, boolean last) {
		int lock = lock(step.lock());
		switch (step.kind()) {
			case GRANT -> this.cells[holder(holder) + TOKEN + step.lock()] = ++this.cells[lock + GRANTED];
			case RELEASE -> this.cells[holder(holder) + RELEASED + step.lock()] = 1;
			case PASS -> {
				if (!pass(holder, step)) {
					return false;
				}
			}
			case READ -> read(transaction(holder, step.level()), step.lock());
			case ROLLBACK_TO_SAVEPOINT -> undo(holder, 0, step.lock());
			case COMMIT -> commit(holder, step.level());
			case ROLLBACK -> rollback(holder);
		}
		if (!isEnded(holder)) {
			this.cells[holder(holder) + NEXT] = last ? ENDED : next(holder) + 1;
		}
		return true;
	}

	private boolean pass(int holder, FenceStep step) {
		int lock = lock(step.lock());
		int transaction = transaction(holder, step.level());
		int owner = this.cells[lock + OWNER];
		if (owner != NONE && owner == transaction(holder, 0) && step.level() == 1
				&& this.rules.contains(FenceRule.BEHIND_THE_OUTER_ONE)) {
			return true;
		}
		if (this.snapshot == Snapshot.AT_THE_FIRST_STATEMENT) {
			takeSnapshot(transaction);
		}
		if (owner != NONE && owner != transaction) {
			if (this.cells[holderOf(owner) + RELEASED + step.lock()] == 1) {
				this.violation = "waits for a transaction whose holder has released the lock";
			}
			return false;
		}
		int token = this.cells[holder(holder) + TOKEN + step.lock()];
		boolean greater = this.cells[lock + ROW] > token && this.rules.contains(FenceRule.GREATER_REFUSES);
		boolean changed = this.snapshot == Snapshot.AT_THE_FIRST_STATEMENT
				&& this.rules.contains(FenceRule.CHANGED_ROW_FAILS)
				&& this.cells[lock + VERSION] != this.cells[transaction + SEEN_VERSION + step.lock()];
		if (greater || changed) {
			rollback(holder);
			return true;
		}
		this.cells[transaction + UNDO + step.lock()] = this.cells[lock + ROW];
		this.cells[lock + ROW] = Math.max(this.cells[lock + ROW], token);
		if (this.rules.contains(FenceRule.LOCKED_UNTIL_THE_END)) {
			this.cells[lock + OWNER] = transaction;
		}
		return true;
	}

	private void read(int transaction, int lock) {
		if (this.snapshot != Snapshot.OF_EACH_STATEMENT) {
			takeSnapshot(transaction);
		}
		int counter = (this.snapshot != Snapshot.OF_EACH_STATEMENT) ? this.cells[transaction + SEEN + lock]
				: this.cells[lock(lock) + COUNTER];
		this.cells[transaction + READ + lock] = counter + 1;
	}

	private void takeSnapshot(int transaction) {
		if (this.cells[transaction + SNAPSHOT] == 0) {
			this.cells[transaction + SNAPSHOT] = 1;
			for (int lock = 0; lock < LOCKS; lock++) {
				this.cells[transaction + SEEN + lock] = this.cells[lock(lock) + COUNTER];
				this.cells[transaction + SEEN_VERSION + lock] = this.cells[lock(lock) + VERSION];
			}
		}
	}

	private void commit(int holder, int level) {
		int transaction = transaction(holder, level);
		for (int lock = 0; lock < LOCKS; lock++) {
			int written = this.cells[transaction + READ + lock];
			if (written != 0) {
				check(written, this.cells[holder(holder) + TOKEN + lock], lock(lock));
				this.cells[lock(lock) + COUNTER] = written;
			}
			if (this.cells[lock(lock) + OWNER] == transaction) {
				this.cells[lock(lock) + OWNER] = NONE;
				this.cells[lock(lock) + VERSION]++;
			}
		}
		Arrays.fill(this.cells, transaction, transaction + TRANSACTION_SIZE, 0);
	}

	private void check(int written, int token, int lock) {
		if (written != this.cells[lock + COUNTER] + 1) {
			this.violation = "overwrites what it has not read";
		}
		else if (token < this.cells[lock + COMMITTED]) {
			this.violation = "commits behind a later holder";
		}
		this.cells[lock + COMMITTED] = token;
	}

	private void rollback(int holder) {
		for (int level = 1; level >= 0; level--) {
			for (int lock = 0; lock < LOCKS; lock++) {
				undo(holder, level, lock);
			}
		}
		this.cells[holder(holder) + NEXT] = ENDED;
	}

	private void undo(int holder, int level, int lock) {
		int transaction = transaction(holder, level);
		this.cells[transaction + READ + lock] = 0;
		if (this.cells[lock(lock) + OWNER] == transaction) {
			this.cells[lock(lock) + ROW] = this.cells[transaction + UNDO + lock];
			this.cells[lock(lock) + OWNER] = NONE;
		}
	}

	private static int lock(int lock) {
		return lock * LOCK_SIZE;
	}

	private static int holder(int holder) {
		return LOCKS * LOCK_SIZE + holder * HOLDER_SIZE;
	}

	private static int transaction(int holder, int level) {
		return holder(holder) + TRANSACTIONS + level * TRANSACTION_SIZE;
	}

	private static int holderOf(int transaction) {
		return holder((transaction - LOCKS * LOCK_SIZE) / HOLDER_SIZE);
	}

	/** When a transaction gets the state that it reads. */
	enum Snapshot {

		/** As at {@code READ COMMITTED}. */
		OF_EACH_STATEMENT,

		/** As at {@code REPEATABLE READ} of InnoDB, for which a fence reads nothing. */
		AT_THE_FIRST_READ,

		/** As from {@code REPEATABLE READ} on in PostgreSQL: before the fence waits. */
		AT_THE_FIRST_STATEMENT

	}

}
