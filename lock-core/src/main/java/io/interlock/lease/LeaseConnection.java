package io.interlock.lease;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.interlock.LockCapabilities;
import io.interlock.LockId;
import io.interlock.lease.LeaseStoreSnapshot.State;
import org.jspecify.annotations.Nullable;

/**
 * Knows whether a store answers: all calls pass it. It asks by itself only if an operator
 * wants to know and the newest answer is old. Invariants: a question is a failure only if
 * no answer has come since it was sent; one question is under way at the most.
 */
final class LeaseConnection implements LeaseStore {

	/** A longer question has failed, until its answer comes. */
	private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final LeaseStore store;

	private final LeaseTime time;

	private final long leaseNanos;

	private final AtomicReference<@Nullable Question> question = new AtomicReference<>();

	private volatile @Nullable Long answeredAt;

	private volatile @Nullable Question failed;

	private volatile boolean closed;

	LeaseConnection(LeaseStore store, LeaseTime time, Duration lease) {
		this.store = store;
		this.time = time;
		this.leaseNanos = lease.toNanos();
	}

	/** Ask in the background, unless the last answer is new, and wait at most 1 s. */
	void askIfOld(LeaseThreads threads, boolean wait) {
		Long answered = this.answeredAt;
		if (this.closed || (answered != null && this.time.nanoTime() - answered < this.leaseNanos / 3)) {
			return;
		}
		Question question = ask(threads);
		if (wait) {
			LeaseThreads.await(this.time, question.done, PATIENCE_NANOS);
		}
	}

	private Question ask(LeaseThreads threads) {
		Question asked = new Question(this.time.nanoTime());
		Question underWay = this.question.compareAndExchange(null, asked);
		if (underWay != null) {
			return underWay;
		}
		try {
			threads.request(() -> answer(asked));
		}
		catch (RejectedExecutionException ex) {
			end(asked, "this instance is shutting down");
		}
		return asked;
	}

	private void answer(Question question) {
		try {
			check();
			end(question, null);
		}
		catch (Throwable ex) {
			end(question, String.valueOf(ex.getMessage()));
		}
	}

	private void end(Question question, @Nullable String failure) {
		question.failure = failure;
		if (failure != null) {
			this.failed = question;
		}
		this.question.set(null);
		question.done.complete(null);
	}

	State state(boolean renewalsFail) {
		Long answered = this.answeredAt;
		if (this.closed) {
			return State.CLOSED;
		}
		if (answered == null) {
			return State.CONNECTING;
		}
		if (failure() == null && !renewalsFail) {
			return State.CONNECTED;
		}
		return (this.time.nanoTime() - answered >= this.leaseNanos / 10 * 9) ? State.LOST : State.SUSPENDED;
	}

	@Nullable String failure() {
		Question underWay = this.question.get();
		if (underWay != null && this.time.nanoTime() - underWay.sentAt >= PATIENCE_NANOS && isOpen(underWay)) {
			return "the store has not answered for a second";
		}
		Question failed = this.failed;
		return (failed != null && isOpen(failed)) ? failed.failure : null;
	}

	private boolean isOpen(Question question) {
		Long answered = this.answeredAt;
		return answered == null || answered - question.sentAt < 0;
	}

	@Nullable Duration answerAge() {
		Long answered = this.answeredAt;
		return (answered != null) ? Duration.ofNanos(Math.max(0, this.time.nanoTime() - answered)) : null;
	}

	private <T> T noted(Supplier<T> call) {
		T answer = call.get();
		this.answeredAt = this.time.nanoTime();
		return answer;
	}

	@Override
	public LockCapabilities capabilities() {
		return this.store.capabilities();
	}

	@Override
	public LeaseStoreAddress address() {
		return this.store.address();
	}

	@Override
	public void check() {
		noted(() -> {
			this.store.check();
			return true;
		});
	}

	@Override
	public LeaseAnswer acquire(LeaseContender contender, Duration lease, boolean waits) {
		return noted(() -> this.store.acquire(contender, lease, waits));
	}

	@Override
	public LeaseAnswer acquireInTurn(LeaseContender contender, Duration lease) {
		return noted(() -> this.store.acquireInTurn(contender, lease));
	}

	@Override
	public LeaseRenewal renew(Collection<LeaseContender> contenders, Duration lease) {
		return noted(() -> this.store.renew(contenders, lease));
	}

	@Override
	public boolean release(LeaseContender contender) {
		return noted(() -> this.store.release(contender));
	}

	@Override
	public boolean isHeld(LeaseContender contender) {
		return noted(() -> this.store.isHeld(contender));
	}

	@Override
	public void listen(Consumer<LockId> freed) {
		this.store.listen(freed);
	}

	@Override
	public boolean isTelling() {
		return this.store.isTelling();
	}

	/** Not noted: a store that has nothing to clean answers without being asked. */
	@Override
	public boolean clean() {
		return this.store.clean();
	}

	@Override
	public void close() {
		this.closed = true;
		this.store.close();
	}

	private static final class Question {

		private final long sentAt;

		private final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();

		private volatile @Nullable String failure;

		Question(long sentAt) {
			this.sentAt = sentAt;
		}

	}

}
