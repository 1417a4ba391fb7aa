package io.interlock.template;

import java.time.Instant;

import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockInterruptedException;
import io.interlock.LockLostException;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.LossPolicy;
import io.interlock.RevocationRequest;
import org.jspecify.annotations.Nullable;

/**
 * The handle of one acquisition, outermost or joined. Every handle has its own close; the
 * hold behind it ends with the last of them.
 */
final class HoldHandle implements LockHandle {

	private final Hold hold;

	private final LockRequest request;

	private final Deque<HoldHandle> handlesOfThread;

	private final @Nullable LossInterrupter interrupter;

	private final AtomicBoolean closed = new AtomicBoolean();

	HoldHandle(Hold hold, LockRequest request) {
		this(hold, request, (request.onLoss() == LossPolicy.INTERRUPT && !hold.holder().isDetached())
				? new LossInterrupter(Thread.currentThread()) : null);
	}

	private HoldHandle(Hold hold, LockRequest request, @Nullable LossInterrupter interrupter) {
		this.hold = hold;
		this.request = request;
		this.interrupter = interrupter;
		this.handlesOfThread = hold.holder().isDetached() ? new ConcurrentLinkedDeque<>()
				: LockContext.handlesOfThisThread();
	}

	/**
	 * Make a handle that keeps a hold beyond its body, so that it never interrupts, and
	 * is the current one only when no body is.
	 * @param hold the hold, which counts the handle already
	 * @param request what the acquisition asked for
	 * @return the handle, known to the context of this thread
	 */
	static HoldHandle keep(Hold hold, LockRequest request) {
		HoldHandle handle = new HoldHandle(hold, request, null);
		handle.handlesOfThread.addFirst(handle);
		return handle;
	}

	/**
	 * Begin the body that this handle is for.
	 * @return this handle, known to the context of this thread
	 */
	HoldHandle beginBody() {
		this.handlesOfThread.addLast(this);
		if (this.interrupter != null) {
			this.hold.interruptOnLoss(this.interrupter);
		}
		return this;
	}

	Hold hold() {
		return this.hold;
	}

	@Override
	public boolean isDetached() {
		return this.hold.holder().isDetached();
	}

	boolean belongsTo(LockId id, HeldLocks heldLocks) {
		return this.hold.heldLocks() == heldLocks && id().equals(id);
	}

	boolean answersTo(Predicate<LockRequest> filter) {
		return filter.test(this.request);
	}

	/**
	 * Close this handle on the thread that ran the body, unless another one has closed it
	 * already. The lock is judged as it is now, before its release: what neither the
	 * clock nor a server confirms is told as a loss. No server is asked about a body that
	 * threw, because it has no result.
	 * @return what the caller has to be told, or {@code null}
	 */
	@Nullable LockLostException endBody(boolean returned) {
		leaveBody();
		if (this.request.onLoss() == LossPolicy.SIGNAL) {
			close(true, false);
			return null;
		}
		boolean asked = returned && this.hold.isInDoubt();
		LockException doubt = asked ? doubt() : null;
		close(true, asked && doubt == null);
		if (this.hold.isLost()) {
			return Failures.lost(this);
		}
		return (doubt != null) ? Failures.inDoubt(this, doubt) : null;
	}

	/**
	 * Ask the servers, also on an interrupted thread.
	 */
	private @Nullable LockException doubt() {
		boolean interrupted = Thread.interrupted();
		try {
			this.hold.grant().verify();
			return null;
		}
		catch (LockException ex) {
			return ex;
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	@Override
	public void close() {
		StackReserve.ensureToEnd();
		close(true, false);
	}

	void closeWithoutWaiting() {
		close(false, false);
	}

	private void close(boolean wait, boolean verified) {
		if (this.closed.compareAndSet(false, true)) {
			try {
				if (this.handlesOfThread.remove(this) && wait) {
					this.hold.warnIfMoved();
				}
				leaveBody();
			}
			finally {
				this.hold.leave(wait, verified);
			}
		}
	}

	@Override
	public LockHandle detach() {
		if (!this.closed.get()) {
			this.hold.holder().detach();
			this.handlesOfThread.removeIf((other) -> other.hold == this.hold);
			leaveBody();
		}
		return this;
	}

	private void leaveBody() {
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
		return this.hold.grant().id();
	}

	@Override
	public LockMode mode() {
		return this.hold.grant().mode();
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
		return this.closed.get() ? LockState.RELEASED : this.hold.grant().state();
	}

	@Override
	public boolean isValid() {
		return !this.closed.get() && this.hold.grant().isValid();
	}

	@Override
	public boolean isLost() {
		return this.hold.isLost();
	}

	@Override
	public void verify() {
		if (this.closed.get()) {
			throw new IllegalStateException("Lock %s was released through this handle already".formatted(id()));
		}
		try {
			this.hold.grant().verify();
		}
		catch (LockInterruptedException ex) {
			// The interrupt may be that of the loss itself.
			this.hold.throwIfLost();
			throw ex;
		}
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

	private <T> Consumer<T> unlessClosed(Consumer<T> action) {
		return (event) -> {
			if (!this.closed.get()) {
				action.accept(event);
			}
		};
	}

	@Override
	public <T> Optional<T> unwrap(Class<T> type) {
		return this.hold.grant().unwrap(type);
	}

	@Override
	public String toString() {
		return "LockHandle[" + mode() + " " + id() + ", token=" + fencingToken() + ", valid=" + isValid() + "]";
	}

}
