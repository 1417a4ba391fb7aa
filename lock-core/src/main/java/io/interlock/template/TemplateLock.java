package io.interlock.template;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;

import io.interlock.LockInterruptedException;
import io.interlock.LockLostException;
import io.interlock.LockRequest;

/**
 * A {@link Lock} that asks a template. Invariant: a thread has as many handles here as it
 * has locked and not unlocked yet, and only that thread sees them.
 */
final class TemplateLock implements Lock {

	private final LockRequest request;

	private final Function<LockRequest, HoldHandle> acquire;

	private final Function<LockRequest, Optional<HoldHandle>> tryAcquire;

	private final ThreadLocal<Deque<HoldHandle>> handlesOfThread = ThreadLocal.withInitial(() -> new ArrayDeque<>(2));

	TemplateLock(LockRequest request, Function<LockRequest, HoldHandle> acquire,
			Function<LockRequest, Optional<HoldHandle>> tryAcquire) {
		this.request = request;
		this.acquire = acquire;
		this.tryAcquire = tryAcquire;
	}

	@Override
	public void lock() {
		locked(uninterruptibly(this::waiting, this.acquire));
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		locked(interruptibly(waiting(Duration.ZERO), this.acquire));
	}

	@Override
	public boolean tryLock() {
		LockRequest now = this.request.withWaitTime(Duration.ZERO);
		return isLocked(uninterruptibly((waited) -> now, this.tryAcquire));
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		Duration waitTime = Duration.ofNanos(Math.max(0, unit.toNanos(time)));
		return isLocked(interruptibly(this.request.withWaitTime(waitTime), this.tryAcquire));
	}

	/** {@code lock()} waits without a limit, unless the request has a wait time. */
	private LockRequest waiting(Duration waited) {
		Duration waitTime = this.request.waitTime();
		if (waitTime == null) {
			return this.request.withWaitTime(LockRequest.FOREVER);
		}
		Duration left = waitTime.minus(waited);
		return this.request.withWaitTime(left.isNegative() ? Duration.ZERO : left);
	}

	private <T> T interruptibly(LockRequest request, Function<LockRequest, T> acquisition) throws InterruptedException {
		if (Thread.interrupted()) {
			throw interrupted();
		}
		try {
			return acquisition.apply(request);
		}
		catch (LockInterruptedException ex) {
			Thread.interrupted();
			throw (InterruptedException) interrupted().initCause(ex);
		}
	}

	private InterruptedException interrupted() {
		return new InterruptedException("The thread was interrupted while it waited for lock " + this.request.id());
	}

	/** Each interrupt costs the thread its place in the queue. */
	private <T> T uninterruptibly(Function<Duration, LockRequest> request, Function<LockRequest, T> acquisition) {
		long startedAt = System.nanoTime();
		boolean interrupted = false;
		try {
			while (true) {
				interrupted |= Thread.interrupted();
				try {
					return acquisition.apply(request.apply(Duration.ofNanos(System.nanoTime() - startedAt)));
				}
				catch (LockInterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private void locked(HoldHandle handle) {
		try {
			this.handlesOfThread.get().addLast(handle);
		}
		catch (Error ex) {
			handle.close();
			throw ex;
		}
	}

	private boolean isLocked(Optional<HoldHandle> handle) {
		handle.ifPresent(this::locked);
		return handle.isPresent();
	}

	@Override
	public void unlock() {
		Deque<HoldHandle> handles = this.handlesOfThread.get();
		HoldHandle handle = handles.pollLast();
		if (handles.isEmpty()) {
			this.handlesOfThread.remove();
		}
		if (handle == null) {
			throw new IllegalMonitorStateException(
					"Thread '%s' has not locked %s through this object, or has unlocked it already"
						.formatted(Wait.nameOf(Thread.currentThread()), this.request.id()));
		}
		LockLostException loss = BodyEnd.of(handle, true);
		if (loss != null) {
			throw loss;
		}
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("A distributed lock has no conditions");
	}

	@Override
	public String toString() {
		return "Lock[" + this.request + "]";
	}

}
