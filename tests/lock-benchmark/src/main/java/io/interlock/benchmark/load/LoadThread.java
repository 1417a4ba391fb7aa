package io.interlock.benchmark.load;

import java.util.SplittableRandom;
import java.util.function.Supplier;

import io.interlock.LockMode;
import io.interlock.benchmark.contestant.Locks;

/**
 * One thread that locks, does something and unlocks, and counts for itself.
 */
final class LoadThread {

	private final Locks locks;

	private final Slot slot;

	private final long id;

	private final int readPercent;

	private final Body body;

	private final SplittableRandom random;

	private final Supplier<Stage> stage;

	private final Runnable turn = this::turn;

	private LockMode mode = LockMode.EXCLUSIVE;

	private long askedAt;

	private long before;

	private long operations;

	private long exclusiveHolders;

	private long longestWait;

	private long bodies;

	private long longestBody;

	private long longestAside;

	LoadThread(Locks locks, LoadPlan plan, Slot slot, long id, Supplier<Stage> stage) {
		this.locks = locks;
		this.slot = slot;
		this.id = id;
		this.readPercent = plan.readPercent();
		this.body = new Body(plan.body());
		this.random = new SplittableRandom(id);
		this.stage = stage;
	}

	void run() throws Exception {
		while (this.stage.get() != Stage.ENDING) {
			this.askedAt = System.nanoTime();
			if (this.readPercent > 0 && this.random.nextInt(100) < this.readPercent) {
				this.mode = LockMode.SHARED;
				this.locks.shared(this.slot.key(), this.turn);
			}
			else {
				this.mode = LockMode.EXCLUSIVE;
				this.locks.exclusively(this.slot.key(), this.turn);
			}
			switch (this.stage.get()) {
				case WARMING_UP -> this.before++;
				case MEASURED -> this.operations++;
				case ENDING -> {
				}
			}
		}
	}

	private void turn() {
		long begunAt = System.nanoTime();
		this.slot.check().enter(this.id, this.mode);
		boolean exclusive = this.mode == LockMode.EXCLUSIVE;
		long aside = exclusive ? this.slot.aside(begunAt) : 0;
		this.body.run();
		long endedAt = System.nanoTime();
		if (exclusive) {
			this.exclusiveHolders++;
			this.slot.ended(endedAt);
		}
		this.slot.check().exit(this.id, this.mode);
		if (this.stage.get() == Stage.MEASURED) {
			this.longestWait = Math.max(this.longestWait, begunAt - this.askedAt);
			this.longestBody = Math.max(this.longestBody, endedAt - begunAt);
			this.longestAside = Math.max(this.longestAside, aside);
			this.bodies += endedAt - begunAt;
		}
	}

	Tally tally(long elapsed) {
		return new Tally(this.before, this.operations, elapsed, this.exclusiveHolders, this.longestWait, this.bodies,
				this.longestBody, this.longestAside);
	}

	/**
	 * Where a measurement is.
	 */
	enum Stage {

		WARMING_UP, MEASURED, ENDING

	}

}
