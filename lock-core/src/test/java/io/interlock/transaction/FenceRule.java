package io.interlock.transaction;

/**
 * What keeps transactions behind the fence in order. A {@link FenceSimulation} without
 * one of them is to fail.
 */
enum FenceRule {

	LOCKED_UNTIL_THE_END("row locked until the end"),

	GREATER_REFUSES("greater token refuses"),

	BEFORE_THE_FIRST_READ("before the first read"),

	AGAIN_AFTER_A_SAVEPOINT("passed again after a savepoint"),

	KEPT_LOCKS_ONLY("kept locks only"),

	IN_ONE_ORDER("rows in one order"),

	BEHIND_THE_OUTER_ONE("inner transaction behind the outer one"),

	CHANGED_ROW_FAILS("row that has changed since the snapshot fails");

	private final String name;

	FenceRule(String name) {
		this.name = name;
	}

	@Override
	public String toString() {
		return this.name;
	}

}
