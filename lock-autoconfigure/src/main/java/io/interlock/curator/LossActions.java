package io.interlock.curator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * What to do when a hold is lost. Invariant: every action runs once if there is a loss,
 * also one that is added meanwhile or afterwards; those added before run in order.
 */
final class LossActions {

	private static final Log logger = LogFactory.getLog(LossActions.class);

	private final ReentrantLock lock = new ReentrantLock();

	private final List<Runnable> actions = new ArrayList<>(2);

	private volatile boolean lost;

	boolean isLost() {
		return this.lost;
	}

	/**
	 * Note the loss.
	 * @return whether it is news, so that the caller has to {@link #run} the actions
	 */
	boolean lose() {
		this.lock.lock();
		try {
			boolean news = !this.lost;
			this.lost = true;
			return news;
		}
		finally {
			this.lock.unlock();
		}
	}

	void run() {
		this.actions.forEach(LossActions::run);
	}

	void add(Runnable action) {
		this.lock.lock();
		try {
			if (!this.lost) {
				this.actions.add(action);
				return;
			}
		}
		finally {
			this.lock.unlock();
		}
		run(action);
	}

	private static void run(Runnable action) {
		try {
			action.run();
		}
		catch (Exception | LinkageError ex) {
			logger.warn("An action for a lost lock failed", ex);
		}
	}

}
