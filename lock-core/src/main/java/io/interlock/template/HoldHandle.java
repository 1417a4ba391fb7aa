package io.interlock.template;

import java.time.Instant;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.LossPolicy;
import io.interlock.RevocationRequest;
import org.jspecify.annotations.Nullable;

/**
 * The handle of one acquisition, outermost or joined. Every handle has its own close; the
 * hold behind it ends with the last of them. Listeners are shown a handle that belongs to
 * no acquisition: it does not count, so that its close ends no hold.
 */
final class HoldHandle implements LockHandle {

	private final Hold hold;

	private final LockRequest request;

	/** Empty if the hold has never had a thread. */
	private final Deque<HoldHandle> handlesOfThread;

	private final @Nullable LossInterrupter interrupter;

	private volatile Use use;

	/** {@code null} for the handle of listeners, which ends with its hold. */
	private final @Nullable AtomicBoolean closed;

	private volatile @Nullable Future<?> limit;

	HoldHandle(Hold hold, LockRequest request) {
		this(hold, request, (request.onLoss() == LossPolicy.INTERRUPT && hold.holder().handlesOfThread() != null)
				? new LossInterrupter(Thread.currentThread()) : null, Use.BODY);
	}

	private HoldHandle(Hold hold, LockRequest request, @Nullable LossInterrupter interrupter, Use use) {
		this.hold = hold;
		this.request = request;
		this.interrupter = interrupter;
		this.use = use;
		this.closed = (use != Use.LISTENER) ? new AtomicBoolean() : null;
		Deque<HoldHandle> handles = hold.holder().handlesOfThread();
		this.handlesOfThread = (handles != null) ? handles : new ConcurrentLinkedDeque<>();
	}

	static HoldHandle forListeners(Hold hold, LockRequest request) {
		return new HoldHandle(hold, request, null, Use.LISTENER);
	}

	/** A handle that never interrupts, and is current only without a body. */
	static HoldHandle forTransaction(Hold hold, LockRequest request) {
		HoldHandle handle = new HoldHandle(hold, request, null, Use.TRANSACTION).limited();
		handle.handlesOfThread.addFirst(handle);
		return handle;
	}

	HoldHandle limited() {
		this.limit = this.hold.startLimit(this.request, this::isClosed);
		return this;
	}

	HoldHandle beginBody() {
		this.handlesOfThread.addLast(this);
		if (this.interrupter != null) {
			this.hold.interruptOnLoss(this.interrupter);
		}
		return this;
	}

	LockHandle handedOut() {
		this.use = Use.CALLER;
		return this;
	}

	Hold hold() {
		return this.hold;
	}

	@Override
	public boolean isDetached() {
		return this.use == Use.DETACHED || this.hold.holder().isDetached();
	}

	boolean answersTo(Predicate<LockRequest> filter) {
		return filter.test(this.request);
	}

	LossPolicy onLoss() {
		return this.request.onLoss();
	}

	@Override
	public void close() {
		beginClose().finish();
	}

	HoldEnd beginClose() {
		return beginClose(false);
	}

	/** Begin to close this handle, whose lock the servers may have just verified. */
	HoldEnd beginClose(boolean verified) {
		return beginClose(true, verified, true);
	}

	HoldEnd beginCloseWithoutWaiting() {
		return beginClose(false, false, true);
	}

	void giveBack() {
		beginGivingBack().finish();
	}

	/** Begin to close this handle. No body has run, so no minimum time keeps the lock. */
	HoldEnd beginGivingBack() {
		return beginClose(false, false, false);
	}

	private HoldEnd beginClose(boolean wait, boolean verified, boolean ran) {
		if (this.closed == null || !this.closed.compareAndSet(false, true)) {
			return HoldEnd.NONE;
		}
		LockTime.cancel(this.limit);
		try {
			if (this.handlesOfThread.remove(this) && wait && !isLost()) {
				this.hold.holder().warnIfMoved(id(), this.hold::isFirstMove);
			}
			leaveBody();
		}
		catch (RuntimeException | Error ex) {
			this.hold.leave(this.request, wait, verified, ran).finish();
			throw ex;
		}
		return this.hold.leave(this.request, wait, verified, ran);
	}

	@Override
	public LockHandle detach() {
		switch (this.use) {
			case LISTENER -> throw new IllegalStateException(
					"Lock %s cannot be detached by a listener: its handle belongs to the caller that acquired it"
						.formatted(id()));
			case BODY, TRANSACTION -> throw new IllegalStateException(
					("Lock %s cannot be detached here: it is released when the code that it was acquired for has "
							+ "ended. To pass on a handle, acquire it with LockOperations.acquire")
						.formatted(id()));
			case CALLER -> leaveThread();
			case DETACHED -> {
				// Its thread has let it go already.
			}
		}
		return this;
	}

	/**
	 * Leave the thread, unless closed. What a transaction keeps for the last handle of a
	 * caller leaves with it, or a request of the thread would still join the hold.
	 */
	private void leaveThread() {
		if (!isClosed()) {
			this.hold.holder().detach();
			if (this.handlesOfThread.remove(this)) {
				this.use = Use.DETACHED;
				leaveBody();
				if (this.handlesOfThread.stream().noneMatch((other) -> other.isBodyOf(this.hold))) {
					this.handlesOfThread.removeIf((other) -> other.hold == this.hold);
				}
			}
		}
	}

	boolean isBodyOf(Hold hold) {
		return this.hold == hold && this.use != Use.TRANSACTION;
	}

	boolean isTransactionOf(Hold hold) {
		return this.hold == hold && this.use == Use.TRANSACTION;
	}

	private boolean isClosed() {
		return (this.closed != null) ? this.closed.get() : this.hold.hasEnded();
	}

	void leaveBody() {
		if (this.interrupter != null) {
			this.hold.forget(this.interrupter);
			if (this.interrupter.leave()) {
				this.handlesOfThread.forEach(HoldHandle::interruptAgain);
			}
		}
	}

	private void interruptAgain() {
		if (this.interrupter != null) {
			this.interrupter.again();
		}
	}

	@Override
	public LockId id() {
		return this.hold.grant().request().id();
	}

	@Override
	public LockMode mode() {
		return this.hold.grant().request().mode();
	}

	@Override
	public Instant acquiredAt() {
		return this.hold.acquiredAt();
	}

	@Override
	public long fencingToken() {
		return this.hold.grant().fencingToken();
	}

	@Override
	public boolean contended() {
		return this.hold.grant().contended();
	}

	@Override
	public int handoff() {
		return this.hold.grant().handoff();
	}

	@Override
	public LockState state() {
		if (isLost()) {
			return LockState.LOST;
		}
		return isClosed() ? LockState.RELEASED : this.hold.grant().state();
	}

	@Override
	public boolean isValid() {
		return !isClosed() && this.hold.grant().state() == LockState.VALID;
	}

	@Override
	public boolean isLost() {
		return this.hold.isLost();
	}

	@Override
	public void verify() {
		Hold.verify(List.of(openHold()));
	}

	Hold openHold() {
		if (isClosed()) {
			throw new IllegalStateException("Lock %s was released through this handle already".formatted(id()));
		}
		return this.hold;
	}

	@Override
	public void onLoss(Runnable action) {
		onStateChange((state) -> {
			if (state == LockState.LOST) {
				action.run();
			}
		});
	}

	@Override
	public void onStateChange(Consumer<LockState> action) {
		this.hold.stateActions().add(unlessClosed(action));
	}

	@Override
	public void onRevocationRequested(Consumer<RevocationRequest> action) {
		this.hold.revocationActions().add(unlessClosed(action));
	}

	@Override
	public void onCancellation(Runnable action) {
		Consumer<Runnable> told = unlessClosed(Runnable::run);
		this.hold.holder().onCancellation(() -> told.accept(action));
	}

	private <T> Consumer<T> unlessClosed(Consumer<T> action) {
		return (event) -> {
			if (!isClosed()) {
				action.accept(event);
			}
		};
	}

	@Override
	public <T> Optional<T> unwrap(Class<T> type) {
		return this.hold.unwrap(type);
	}

	@Override
	public String toString() {
		return "LockHandle[" + mode() + " " + id() + ", token=" + fencingToken() + ", valid=" + isValid() + "]";
	}

	private enum Use {

		BODY, CALLER, DETACHED, TRANSACTION, LISTENER

	}

}
