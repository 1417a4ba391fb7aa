package io.interlock.queue;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.interlock.LockAttempt.Phase;
import io.interlock.LockId;
import io.interlock.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * What a queue knows: who waits, what is granted, and what is asked for. Guarded by the
 * lock of its queue. Invariants:
 * <ul>
 * <li>At most one attempt is under way, and at most one tenure is open, which means that
 * its grant may be handed over or joined. A tenure that is not open any more only waits
 * for its holders to leave.
 * <li>If somebody waits, there is an attempt that could serve the first waiter, or an
 * open tenure that he can be given when its holders leave. Nobody waits for nothing:
 * {@link #settle} sees to it after every change.
 * </ul>
 */
final class QueueState {

	private final WaitingLine waiters;

	private @Nullable Tenure open;

	private @Nullable Contention contention;

	private boolean removed;

	QueueState(int maxWaiting) {
		this.waiters = new WaitingLine(maxWaiting);
	}

	WaitingLine waiters() {
		return this.waiters;
	}

	boolean isRemoved() {
		return this.removed;
	}

	@Nullable Tenure open() {
		return this.open;
	}

	void open(Tenure tenure) {
		this.open = tenure;
	}

	/**
	 * Make a tenure the open one, unless there is one, or an attempt that will bring one.
	 */
	void openIfNoneIsExpected(Tenure tenure) {
		if (this.open == null && this.contention == null) {
			this.open = tenure;
		}
	}

	void close(Tenure tenure) {
		if (this.open == tenure) {
			this.open = null;
		}
	}

	/**
	 * Note that an attempt has ended.
	 * @return {@code false} if nobody waits for it any more
	 */
	boolean end(Contention ended) {
		if (this.contention != ended) {
			return false;
		}
		this.contention = null;
		return true;
	}

	/**
	 * Return whether it is certain, without asking, that somebody would have to wait.
	 * @param mode what he asks for
	 */
	boolean isTakenFor(LockMode mode) {
		return (this.open != null && this.open.isInTheWayOf(mode))
				|| (this.contention != null && this.contention.phase() == Phase.QUEUED);
	}

	/**
	 * See to it that somebody who waits is going to be served, and nothing is under way
	 * for nobody.
	 * @param effects where to note what is to be done without the lock
	 * @param begin begins an attempt
	 * @return whether the queue has just become useless
	 */
	boolean settle(List<Runnable> effects, Consumer<Contention> begin) {
		Waiter first = this.waiters.first();
		Tenure tenure = this.open;
		if (first != null && tenure != null
				&& !(tenure.grant().mode() == LockMode.EXCLUSIVE && tenure.grant().isValid())) {
			// Nobody joins any more, and the next ones need a node of their own.
			this.open = null;
		}
		Contention current = this.contention;
		if (current != null && (first == null || !current.serves(first.mode()))) {
			this.contention = null;
			effects.add(current::cancel);
		}
		if (first != null && this.open == null && this.contention == null) {
			Contention next = new Contention(first);
			this.contention = next;
			effects.add(() -> begin.accept(next));
		}
		boolean useless = first == null && this.open == null && !this.removed;
		this.removed |= useless;
		return useless;
	}

	Phase phase() {
		if (this.open != null && !this.open.grant().isLost()) {
			return Phase.QUEUED;
		}
		return (this.contention != null) ? this.contention.phase() : Phase.CONNECTING;
	}

	QueueSnapshot snapshot(LockId id) {
		return (this.open != null) ? this.open.snapshot(this.waiters.size())
				: new QueueSnapshot(id, this.waiters.size(), 0, null, 0, Duration.ZERO);
	}

}
