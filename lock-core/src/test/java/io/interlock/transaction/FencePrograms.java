package io.interlock.transaction;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static io.interlock.transaction.FenceStep.commit;
import static io.interlock.transaction.FenceStep.grant;
import static io.interlock.transaction.FenceStep.pass;
import static io.interlock.transaction.FenceStep.read;
import static io.interlock.transaction.FenceStep.release;
import static io.interlock.transaction.FenceStep.rollback;
import static io.interlock.transaction.FenceStep.rollbackToSavepoint;

/**
 * What the holders of a {@link FenceSimulation} do, as a {@link FencedTransaction} has it
 * done: which rows it passes, and when.
 */
final class FencePrograms {

	static final String LOCK_INSIDE = "second lock inside of a transaction";

	static final String OF_ITS_OWN = "transaction of its own under the lock of the outer one";

	static final String SAVEPOINT = "savepoint that is rolled back";

	private static final int A = 0;

	private static final int B = 1;

	private final Map<String, List<FenceStep>> programs = new LinkedHashMap<>();

	FencePrograms(Set<FenceRule> rules) {
		add("transaction under a lock",
				rules.contains(FenceRule.BEFORE_THE_FIRST_READ) ? List.of(grant(A), pass(A, 0), read(A, 0), commit(0))
						: List.of(grant(A), read(A, 0), pass(A, 0), commit(0)));
		add("transaction that is rolled back", List.of(grant(A), pass(A, 0), read(A, 0), rollback()));
		add("transaction under two locks",
				List.of(grant(A), grant(B), pass(A, 0), pass(B, 0), read(A, 0), read(B, 0), commit(0)));
		add("transaction under the same two locks",
				rules.contains(FenceRule.IN_ONE_ORDER)
						? List.of(grant(B), grant(A), pass(A, 0), pass(B, 0), read(A, 0), read(B, 0), commit(0))
						: List.of(grant(B), grant(A), pass(B, 0), pass(A, 0), read(A, 0), read(B, 0), commit(0)));
		add(LOCK_INSIDE, List.of(grant(A), pass(A, 0), read(A, 0), grant(B), pass(B, 0), read(B, 0), commit(0)));
		add(OF_ITS_OWN, List.of(grant(A), pass(A, 0), pass(A, 1), read(A, 1), commit(1), read(A, 0), commit(0)));
		add("batch with transactions of their own", batch(rules));
		add(SAVEPOINT, rules.contains(FenceRule.AGAIN_AFTER_A_SAVEPOINT)
				? List.of(grant(A), pass(A, 0), read(A, 0), rollbackToSavepoint(A), pass(A, 0), read(A, 0), commit(0))
				: List.of(grant(A), pass(A, 0), read(A, 0), rollbackToSavepoint(A), read(A, 0), pass(A, 0), commit(0)));
	}

	private static List<FenceStep> batch(Set<FenceRule> rules) {
		List<FenceStep> steps = new ArrayList<>();
		for (int lock : new int[] { A, B }) {
			steps.add(grant(lock));
			if (!rules.contains(FenceRule.KEPT_LOCKS_ONLY)) {
				steps.add(pass(lock, 0));
			}
			steps.addAll(List.of(pass(lock, 1), read(lock, 1), commit(1), release(lock)));
		}
		steps.add(commit(0));
		return steps;
	}

	private void add(String name, List<FenceStep> steps) {
		this.programs.put(name, steps);
	}

	/** Leave out programs that read what their snapshot has not seen. */
	FencePrograms without(String... names) {
		this.programs.keySet().removeAll(List.of(names));
		return this;
	}

	/** Return the programs of three holders, in each combination. */
	List<List<List<FenceStep>>> ofThree() {
		List<List<FenceStep>> all = List.copyOf(this.programs.values());
		List<List<List<FenceStep>>> combinations = new ArrayList<>();
		for (int i = 0; i < all.size(); i++) {
			for (int j = i; j < all.size(); j++) {
				for (int k = j; k < all.size(); k++) {
					combinations.add(List.of(all.get(i), all.get(j), all.get(k)));
				}
			}
		}
		return combinations;
	}

}
