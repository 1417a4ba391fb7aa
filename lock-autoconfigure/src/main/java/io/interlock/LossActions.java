package io.interlock;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * What to do when a hold is lost: the part of {@link LockHandle#onLoss} that every
 * implementation needs. Invariant: every action runs once if there is a loss, also one
 * that is added meanwhile or afterwards; those added before run in order. Safe for use by
 * many threads.
 *
 * @since 0.1.0
 */
public final class LossActions {

	private static final Log logger = LogFactory.getLog(LossActions.class);

	private final ReentrantLock lock = new ReentrantLock();

	private final List<Runnable> actions = new ArrayList<>(2);

	private final CountDownLatch ran = new CountDownLatch(1);

	private volatile boolean lost;

	private volatile @Nullable Thread runner;

	/**
	 * Return whether a loss was noted.
	 * @return whether there is one
	 */
	public boolean isLost() {
		return this.lost;
	}

	/**
	 * Note the loss.
	 * @return whether it is news, so that the caller has to {@link #run} the actions
	 */
	public boolean lose() {
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

	/**
	 * Run the actions. For the one caller to whom the loss was news.
	 */
	public void run() {
		this.runner = Thread.currentThread();
		try {
			this.actions.forEach(LossActions::run);
		}
		finally {
			this.ran.countDown();
		}
	}

	/**
	 * Wait for the actions to have run, so that nobody goes on without their effects. An
	 * interrupt does not end the wait and is kept.
	 * @param nanos how long, for an action may itself wait for the caller
	 * @return whether they have run; {@code false} at once inside one of them
	 */
	public boolean awaitRun(long nanos) {
		long deadline = System.nanoTime() + nanos;
		boolean interrupted = false;
		try {
			while (this.runner != Thread.currentThread()) {
				try {
					return this.ran.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
			return this.ran.getCount() == 0;
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Add an action; it runs at once, on the calling thread, if there is a loss already.
	 * @param action what to do
	 */
	public void add(Runnable action) {
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
