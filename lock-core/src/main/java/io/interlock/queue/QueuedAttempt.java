package io.interlock.queue;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.provider.AbstractLockAttempt;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import org.jspecify.annotations.Nullable;

/**
 * A caller in a queue. Invariant: it is decided once, by the queue, which grants or
 * refuses, or by the caller, which gives up. The queue decides under its lock and
 * completes the outcome after it has left it. A caller that gives up too late completes
 * it too, so that it waits for no other thread.
 */
final class QueuedAttempt extends AbstractLockAttempt {

	/** Longest answer of healthy servers, the default {@code interlock.try-timeout}. */
	private static final long LONGEST_ANSWER_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final LockRequest request;

	private final LockCaller caller;

	private final LockQueue queue;

	private final long since = System.nanoTime();

	private volatile boolean toldOfOthers;

	QueuedAttempt(LockRequest request, LockCaller caller, LockQueue queue) {
		this.request = request;
		this.caller = caller;
		this.queue = queue;
	}

	LockQueue queue() {
		return this.queue;
	}

	LockRequest request() {
		return this.request;
	}

	LockCaller caller() {
		return this.caller;
	}

	LockMode mode() {
		return this.request.mode();
	}

	/**
	 * Return what this waiter waits for. Called under the lock of the queue.
	 * @param front the attempt of the queue at the service, if there is one
	 * @param held whether a caller of this JVM holds the lock
	 * @param takenUntil when another caller was last known to hold the lock
	 */
	Phase phase(@Nullable Front front, boolean held, long takenUntil) {
		Phase phase = (front != null) ? front.phase() : Phase.CONNECTING;
		boolean forHolders = isBehindOthers(front) || held
				|| (phase == Phase.CREATING && hasWaitedForHolders(takenUntil));
		return forHolders ? Phase.QUEUED : phase;
	}

	boolean isBehindOthers(@Nullable Front front) {
		if (front == null || front.phase() != Phase.QUEUED) {
			this.toldOfOthers = false;
			return false;
		}
		this.toldOfOthers = front.isToldOfOthers();
		return true;
	}

	@Override
	public boolean isToldOfOthers() {
		return this.toldOfOthers;
	}

	/**
	 * Return whether this waiter has waited for other holders rather than for the
	 * servers. Until {@code takenUntil} it waited for holders, and since then for an
	 * answer of the servers. The servers are the reason if that took the longer time, or
	 * more than healthy servers take. Time beyond the wait time does not count, because a
	 * caller may wake up late.
	 */
	private boolean hasWaitedForHolders(long takenUntil) {
		Duration waitTime = this.request.waitTime();
		long limit = (waitTime != null) ? TimeUnit.NANOSECONDS.convert(waitTime) : Long.MAX_VALUE;
		long waited = Math.min(System.nanoTime() - this.since, limit);
		long forHolders = takenUntil - this.since;
		long forServers = waited - forHolders;
		return forServers < Math.min(forHolders, LONGEST_ANSWER_NANOS);
	}

	boolean cameBefore(long instant) {
		return this.since - instant < 0;
	}

	boolean answer(Optional<LockGrant> grant, List<Runnable> effects) {
		return decide(() -> outcome().complete(grant), effects);
	}

	void fail(Throwable failure, List<Runnable> effects) {
		decide(() -> outcome().completeExceptionally(failure), effects);
	}

	private boolean decide(Runnable completion, List<Runnable> effects) {
		boolean decided = decide(completion);
		if (decided) {
			effects.add(this::complete);
		}
		return decided;
	}

	@Override
	public Phase phase() {
		return this.queue.phase(this);
	}

	@Override
	public @Nullable Throwable obstacle() {
		return this.queue.obstacle();
	}

	@Override
	public void abandon() {
		boolean first = decide(() -> outcome().cancel(false));
		complete();
		if (first) {
			this.queue.remove(this);
		}
	}

	/**
	 * The waiters of one queue, in the order of their arrival. Waiters that have given up
	 * are removed when they reach the front, if not before. Guarded by the lock of the
	 * queue.
	 */
	static final class Waiters {

		private final Deque<QueuedAttempt> line = new ArrayDeque<>(4);

		private final int max;

		Waiters(int max) {
			this.max = max;
		}

		void add(QueuedAttempt waiter, List<Runnable> effects) {
			if (waiter.caller().retries()) {
				this.line.addFirst(waiter);
			}
			else if (this.line.size() < this.max) {
				this.line.addLast(waiter);
			}
			else {
				waiter.fail(new LockServiceUnavailableException(
						("Lock %s is unavailable: too many waiters, %d threads of this instance already wait for it. "
								+ "Raise interlock.queue.max-waiting, or hold the lock for a shorter time")
							.formatted(waiter.request().id(), this.max),
						waiter.request().id(), Duration.ZERO, null), effects);
			}
		}

		@Nullable QueuedAttempt first() {
			QueuedAttempt first = this.line.peekFirst();
			while (first != null && first.isDecided()) {
				this.line.removeFirst();
				first = this.line.peekFirst();
			}
			return first;
		}

		boolean cameBefore(long instant) {
			QueuedAttempt first = first();
			return first != null && first.cameBefore(instant);
		}

		void removeFirst() {
			this.line.removeFirst();
		}

		void remove(QueuedAttempt waiter) {
			this.line.remove(waiter);
		}

		void failAll(Throwable failure, List<Runnable> effects) {
			this.line.forEach((waiter) -> waiter.fail(failure, effects));
			this.line.clear();
		}

		int size() {
			return this.line.size();
		}

	}

	/**
	 * The attempt of a queue at the lock service. It belongs to the queue and not to the
	 * waiter that it was begun for, which may give up: it has no deadline, and ends when
	 * the first waiter is not one that it stands for. Begun and cancelled outside of the
	 * queue's lock, possibly by two threads at once.
	 */
	static final class Front {

		private final QueuedAttempt first;

		private final LockProvider provider;

		private volatile @Nullable LockAttempt attempt;

		private volatile boolean cancelled;

		Front(QueuedAttempt first, LockProvider provider) {
			this.first = first;
			this.provider = provider;
		}

		/**
		 * Return whether this stands for a waiter. An exclusive one could serve a reader,
		 * but would hold up the readers of all instances until then.
		 */
		boolean standsFor(QueuedAttempt waiter) {
			return waiter.mode() == this.first.mode();
		}

		void begin() {
			try {
				LockAttempt begun = this.provider.attempt(this.first.request(), this.first.caller());
				this.attempt = begun;
				if (this.cancelled) {
					begun.abandon();
				}
				begun.outcome().whenComplete(this::ended);
			}
			catch (RuntimeException | Error ex) {
				// Errors too: without an answer, a caller could wait for ever.
				ended(null, ex);
			}
		}

		private void ended(@Nullable Optional<LockGrant> grant, @Nullable Throwable failure) {
			LockQueue queue = this.first.queue();
			if (failure != null) {
				queue.failed(failure, this);
			}
			else if (grant != null && grant.isPresent()) {
				queue.granted(grant.get(), this);
			}
			else if (grant != null) {
				queue.failed(new IllegalStateException(
						"The provider let no caller wait for lock " + this.first.request().id()), this);
			}
		}

		void cancel() {
			this.cancelled = true;
			LockAttempt begun = this.attempt;
			if (begun != null) {
				begun.abandon();
			}
		}

		Phase phase() {
			LockAttempt begun = this.attempt;
			return (begun != null) ? begun.phase() : Phase.CREATING;
		}

		boolean isToldOfOthers() {
			LockAttempt begun = this.attempt;
			return begun != null && begun.isToldOfOthers();
		}

		@Nullable Throwable obstacle() {
			LockAttempt begun = this.attempt;
			return (begun != null) ? begun.obstacle() : null;
		}

	}

}
