package io.interlock.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

import io.interlock.LockAttempt.Phase;
import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockProvider;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one lock in this JVM. Invariants, besides those of {@link QueueState} and
 * {@link Service}:
 * <ul>
 * <li>Nobody barges: who comes while others wait, waits behind them.
 * <li>A grant is handed over only after its holders have left.
 * <li>Under the lock nothing is called that may block or call back: what a change asks
 * for is collected and done afterwards.
 * </ul>
 */
final class LockQueue {

	private final LockId id;

	private final LockProvider provider;

	private final int maxWaiting;

	private final Consumer<LockQueue> onIdle;

	private final ReentrantLock lock = new ReentrantLock();

	private final QueueState state;

	private final Service service;

	LockQueue(LockId id, LockProvider provider, QueueSettings settings, Consumer<LockQueue> onIdle,
			BooleanSupplier refusing) {
		this.id = id;
		this.provider = provider;
		this.maxWaiting = settings.maxWaiting();
		this.state = new QueueState(this.maxWaiting);
		this.onIdle = onIdle;
		this.service = new Service(this, this.state.waiters(), settings, refusing);
	}

	LockId id() {
		return this.id;
	}

	/**
	 * Let somebody join the holders, or wait.
	 * @param waiter who
	 * @param first whether he goes before everybody else
	 * @return {@code false} if this queue is not in use any more
	 */
	boolean enqueue(Waiter waiter, boolean first) {
		return change((effects) -> {
			if (this.state.isRemoved()) {
				return false;
			}
			if (!join(waiter, effects) && !this.state.waiters().add(waiter, first)) {
				waiter.fail(Refusals.tooManyWaiting(this.id, this.maxWaiting), effects);
			}
			return true;
		});
	}

	/**
	 * Answer a try from what this JVM knows.
	 * @param waiter who tries
	 * @return whether it was answered; otherwise the provider has to be asked
	 */
	boolean tryLocally(Waiter waiter) {
		return change((effects) -> {
			if (this.service.isRefusing() || this.state.isRemoved()) {
				return false;
			}
			if (join(waiter, effects)) {
				return true;
			}
			boolean taken = this.state.isTakenFor(waiter.mode());
			if (taken && waiter.decide()) {
				effects.add(waiter::refuse);
			}
			return taken;
		});
	}

	private boolean join(Waiter waiter, List<Runnable> effects) {
		Tenure tenure = this.state.open();
		return tenure != null && this.service.join(tenure, waiter, effects);
	}

	/**
	 * Make a tenure of a grant that was got past this queue.
	 * @param grant the grant
	 * @return what its holder has of it, or {@code null} if this queue is not in use any
	 * more
	 */
	@Nullable TenureHandle adopt(LockHandle grant) {
		Tenure tenure = new Tenure(grant);
		tenure.begin();
		TenureHandle holder = new TenureHandle(this, tenure, grant.mode(), grant.contended());
		tenure.add(holder);
		boolean adopted = change((effects) -> {
			if (!this.state.isRemoved()) {
				this.state.openIfNoneIsExpected(tenure);
			}
			return !this.state.isRemoved();
		});
		if (adopted) {
			grant.onLoss(() -> lost(tenure));
		}
		return adopted ? holder : null;
	}

	/**
	 * Forget somebody who has given up.
	 */
	void remove(Waiter waiter) {
		change((effects) -> this.state.waiters().remove(waiter));
	}

	/**
	 * Bring those who wait in line with what has become of the grant: none is handed over
	 * while the service is unavailable, so they have to ask the provider themselves.
	 */
	void reconsider() {
		change((effects) -> true);
	}

	/**
	 * Refuse everybody who waits.
	 * @param failure what to tell them
	 */
	void failAll(Throwable failure) {
		change((effects) -> this.state.waiters().failAll(failure, effects));
	}

	/**
	 * Let a holder go, and the next ones take over.
	 * @param holder who has finished
	 * @return whether the tenure is over, so that its grant must be ended
	 */
	boolean leave(TenureHandle holder) {
		Tenure tenure = holder.tenure();
		return change((effects) -> {
			if (!tenure.leave(holder)) {
				return false;
			}
			if (this.state.open() == tenure && this.service.handOver(tenure, effects)) {
				return false;
			}
			this.state.close(tenure);
			return true;
		});
	}

	private void ended(Contention ended, @Nullable Optional<LockHandle> grant, @Nullable Throwable failure) {
		Tenure tenure = (grant != null) ? grant.map(Tenure::new).orElse(null) : null;
		boolean served = change((effects) -> {
			if (!this.state.end(ended)) {
				return false;
			}
			if (tenure == null) {
				return this.state.waiters().failAll(Refusals.failed(this.id, failure), effects);
			}
			if (this.service.serve(tenure, tenure.grant().contended(), effects)) {
				this.state.open(tenure);
				return true;
			}
			return false;
		});
		if (tenure != null && served) {
			tenure.grant().onLoss(() -> lost(tenure));
		}
		else if (tenure != null) {
			tenure.grant().closeAsync();
		}
	}

	private void lost(Tenure tenure) {
		List<TenureHandle> holders = change((effects) -> {
			this.state.close(tenure);
			return tenure.holders();
		});
		// What one of them does about it must not keep the news from the others.
		holders.stream().skip(1).forEach((holder) -> new Thread(holder::lose, "interlock-loss").start());
		holders.get(0).lose();
	}

	/**
	 * Change something, bring the rest in line, and do afterwards what that asks for.
	 */
	private <T> T change(Function<List<Runnable>, T> change) {
		List<Runnable> effects = new ArrayList<>(2);
		T result;
		this.lock.lock();
		try {
			result = change.apply(effects);
			if (this.state.settle(effects, (contention) -> contention.begin(this.provider, this::ended))) {
				this.onIdle.accept(this);
			}
		}
		finally {
			this.lock.unlock();
		}
		effects.forEach(Runnable::run);
		return result;
	}

	/**
	 * Return what somebody who gives up now was waiting for.
	 * @return the phase
	 */
	Phase phase() {
		return read(QueueState::phase);
	}

	QueueSnapshot snapshot() {
		return read((state) -> state.snapshot(this.id));
	}

	private <T> T read(Function<QueueState, T> question) {
		this.lock.lock();
		try {
			return question.apply(this.state);
		}
		finally {
			this.lock.unlock();
		}
	}

}
