package io.interlock.zookeeper.internal.engine;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * The steps of one attempt, one after the other under one lock, whichever thread brings
 * them about. Requests belong to rounds: an answer that comes in a later round than its
 * request makes no step. Work that a step defers is run outside of the lock.
 */
final class Steps {

	private final Consumer<Throwable> onFailure;

	private final ReentrantLock lock = new ReentrantLock();

	private final Queue<Runnable> due = new ArrayDeque<>(2);

	private @Nullable Runnable effect;

	private int round;

	private boolean asked;

	/** Create an instance with a step for what a step has thrown, errors included. */
	Steps(Consumer<Throwable> onFailure) {
		this.onFailure = onFailure;
	}

	/** Make a step, and those that follow from it: a closed handle answers at once. */
	void make(Runnable step) {
		Runnable after;
		this.lock.lock();
		try {
			this.due.add(step);
			if (this.lock.getHoldCount() > 1) {
				return;
			}
			for (Runnable next = this.due.poll(); next != null; next = this.due.poll()) {
				makeSafely(next);
			}
			after = this.effect;
			this.effect = null;
		}
		finally {
			this.lock.unlock();
		}
		if (after != null) {
			after.run();
		}
	}

	private void makeSafely(Runnable step) {
		try {
			step.run();
		}
		catch (Throwable ex) {
			this.onFailure.accept(ex);
		}
	}

	/** Make a step, unless a later round has begun. */
	void make(int round, Runnable step) {
		make(() -> {
			if (round == this.round) {
				step.run();
			}
		});
	}

	/** Begin a round without an unanswered request. Called in a step. */
	int nextRound() {
		this.asked = false;
		return ++this.round;
	}

	/** Begin a round with a request that must be answered. Called in a step. */
	int ask() {
		int next = nextRound();
		this.asked = true;
		return next;
	}

	void answered() {
		this.asked = false;
	}

	boolean isAsked() {
		return this.asked;
	}

	/** Run an action when the lock is free. Called in a step. */
	void afterwards(Runnable effect) {
		this.effect = effect;
	}

}
