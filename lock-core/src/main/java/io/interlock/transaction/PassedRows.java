package io.interlock.transaction;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The rows that an open transaction has passed, and those that it has lost. */
final class PassedRows {

	private final Set<String> passed = new HashSet<>();

	/** What was set after the body had begun, which may have made savepoints before. */
	private final Map<String, FenceMark> inside = new HashMap<>();

	/** What was passed behind a savepoint, until it is passed again right after it. */
	private final Set<String> undone = new HashSet<>();

	/** What the last rollback to a savepoint has added. */
	private Set<String> undoneLast = Set.of();

	/** What was passed before each savepoint. */
	private final Map<Object, Set<String>> savepoints = new HashMap<>();

	void add(String row, FenceMark mark, boolean begun) {
		this.passed.add(row);
		if (begun) {
			this.inside.put(row, mark);
		}
	}

	Set<String> passed() {
		return this.passed;
	}

	Map<String, FenceMark> inside() {
		return this.inside;
	}

	boolean isUndone(String row) {
		return this.undone.contains(row);
	}

	void undoAll() {
		this.undone.addAll(this.passed);
	}

	void savepoint(Object savepoint) {
		this.savepoints.put(savepoint, Set.copyOf(this.passed));
	}

	/** The rows that were passed behind the savepoint will be as they were before it. */
	void rollbackTo(Object savepoint) {
		this.undoneLast = new HashSet<>(this.passed);
		this.passed.retainAll(this.savepoints.getOrDefault(savepoint, Set.of()));
		this.inside.keySet().retainAll(this.passed);
		this.undoneLast.removeAll(this.passed);
		this.undoneLast.removeAll(this.undone);
		this.undone.addAll(this.undoneLast);
	}

	/** What the last rollback to a savepoint has undone was passed again at once. */
	void passedAgain() {
		this.undone.removeAll(this.undoneLast);
	}

}
