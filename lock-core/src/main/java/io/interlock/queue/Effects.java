package io.interlock.queue;

import java.util.ArrayList;
import java.util.List;

/**
 * The effects of a change of a queue, run when its lock is free. A waiter may depend on
 * each of them, so all are run even if some fail. For one thread.
 */
final class Effects {

	private final List<Runnable> effects = new ArrayList<>(2);

	/**
	 * Ask for something.
	 * @return {@code true}
	 */
	boolean add(Runnable effect) {
		return this.effects.add(effect);
	}

	void run() {
		run(0);
	}

	private void run(int first) {
		for (int i = first; i < this.effects.size(); i++) {
			try {
				this.effects.get(i).run();
			}
			catch (RuntimeException | Error ex) {
				run(i + 1);
				throw ex;
			}
		}
	}

}
