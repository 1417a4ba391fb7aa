package io.interlock.template;

import java.time.Instant;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockLostException;
import io.interlock.LockMode;
import io.interlock.LockRequest;
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

	private HoldHandle(Hold hold, LockRequest request, @Nullable LossInterrupter interrupter) {
		this.hold = hold;
		this.request = request;
		this.interrupter = interrupter;
		this.handlesOfThread = LockContext.handlesOfThisThread();
	}

	/**
	 * Open a handle on a hold that counts it already.
	 * @param hold the hold
	 * @param request what this acquisition asked for
	 * @return the handle, known to the context of this thread
	 */
	static HoldHandle open(Hold hold, LockRequest request) {
		LossInterrupter interrupter = (request.onLoss() == LossPolicy.INTERRUPT)
				? new LossInterrupter(Thread.currentThread()) : null;
		HoldHandle handle = new HoldHandle(hold, request, interrupter);
		handle.handlesOfThread.addLast(handle);
		if (interrupter != null) {
			hold.interruptOnLoss(interrupter);
		}
		return handle;
	}

	/**
	 * Open a handle that keeps a hold beyond its body, so that it never interrupts, and
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

	Hold hold() {
		return this.hold;
	}

	LockRequest request() {
		return this.request;
	}

	boolean belongsTo(LockId id, HeldLocks heldLocks) {
		return this.hold.heldLocks() == heldLocks && id().equals(id);
	}

	boolean answersTo(Predicate<LockRequest> filter) {
		return filter.test(this.request);
	}

	/**
	 * Close this handle on the thread that ran the body, which may have been closed by
	 * somebody else already.
	 * @return what the caller has to be told, or {@code null}
	 */
	@Nullable LockLostException endBody() {
		leaveBody();
		close();
		if (!this.hold.isLost() || this.request.onLoss() == LossPolicy.SIGNAL) {
			return null;
		}
		return Failures.lost(id(), acquiredAt(), fencingToken());
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
		return this.hold.grant().acquiredAt();
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
		this.hold.grant().verify();
	}

	@Override
	public void onLoss(Runnable action) {
		this.hold.grant().onLoss(() -> {
			if (!this.closed.get()) {
				action.run();
			}
		});
	}

	@Override
	public void onRevocationRequested(Consumer<RevocationRequest> action) {
		this.hold.revocation().add((request) -> {
			if (!this.closed.get()) {
				action.accept(request);
			}
		});
	}

	@Override
	public void close() {
		close(true);
	}

	@Override
	public void closeAsync() {
		close(false);
	}

	private void close(boolean wait) {
		if (this.closed.compareAndSet(false, true)) {
			this.handlesOfThread.remove(this);
			leaveBody();
			this.hold.leave(wait);
		}
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
	public <T> Optional<T> unwrap(Class<T> type) {
		return this.hold.grant().unwrap(type);
	}

	@Override
	public String toString() {
		return "LockHandle[" + mode() + " " + id() + ", token=" + fencingToken() + ", valid=" + isValid() + "]";
	}

}
