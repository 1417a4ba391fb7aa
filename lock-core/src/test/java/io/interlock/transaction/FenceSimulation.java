package io.interlock.transaction;

import java.math.BigInteger;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.interlock.transaction.FenceState.Snapshot;
import org.jspecify.annotations.Nullable;

/**
 * All orders in which holders of two locks can take their steps, on a model of the rows
 * and of their locks in the database. A lock is granted at any moment, so that a holder
 * loses its lock between any two of its steps, and a holder stands still there for as
 * long as the others like. Orders that come to the same state go on together.
 * <p>
 * After each step the promise of a {@link TransactionFence} is checked: the transactions
 * under a lock commit in the order of their tokens, and each has read what those before
 * it have written. None waits for a holder that has released the lock, or for ever.
 * <p>
 * The rules are those of {@link FencedTransaction} and {@link FenceStatements}, written a
 * second time: these wait in a database, and keep their state by the thread.
 */
final class FenceSimulation {

	private final List<List<FenceStep>> programs;

	private final FenceState start;

	private final Map<Object, BigInteger> known = new HashMap<>();

	private @Nullable String violation;

	FenceSimulation(List<List<FenceStep>> programs, Set<FenceRule> rules, Snapshot snapshot) {
		this.programs = programs;
		this.start = new FenceState(rules, snapshot, programs.size());
	}

	/** Return how many orders there are, up to the first one that breaks the promise. */
	BigInteger run() {
		return orders(this.start);
	}

	/** Return what was broken with the steps that lead there, or {@code null}. */
	@Nullable String violation() {
		return this.violation;
	}

	private BigInteger orders(FenceState state) {
		BigInteger found = this.known.get(state.key());
		if (found != null) {
			return found;
		}
		BigInteger orders = BigInteger.ZERO;
		boolean ended = true;
		boolean stuck = true;
		for (int holder = 0; holder < this.programs.size() && this.violation == null; holder++) {
			if (!state.isEnded(holder)) {
				ended = false;
				List<FenceStep> program = this.programs.get(holder);
				FenceStep step = program.get(state.next(holder));
				FenceState after = state.copy();
				boolean taken = after.take(holder, step, state.next(holder) == program.size() - 1);
				if (after.violation() != null) {
					this.violation = after.violation();
				}
				else if (taken || !after.key().equals(state.key())) {
					stuck = false;
					orders = orders.add(orders(after));
				}
				if (this.violation != null) {
					this.violation = "holder %d: %s, lock %d, level %d\n%s".formatted(holder, step.kind(), step.lock(),
							step.level(), this.violation);
				}
			}
		}
		if (this.violation == null && stuck && !ended) {
			this.violation = "waits for ever";
		}
		orders = ended ? BigInteger.ONE : orders;
		this.known.put(state.key(), orders);
		return orders;
	}

}
