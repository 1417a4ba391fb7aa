package io.interlock.integration;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import io.interlock.LockRequest;
import io.interlock.template.LockOperations;
import org.jspecify.annotations.Nullable;

/**
 * A lock of the registry. It has no state of its own, so that nothing has to be kept for
 * a thread that obtains the lock twice, once to lock and once to unlock it.
 */
final class RegistryLock implements Lock {

	private final LockRequest request;

	private final LockOperations locks;

	private final LocksOfThread locksOfThread;

	RegistryLock(LockRequest request, LockOperations locks, LocksOfThread locksOfThread) {
		this.request = request;
		this.locks = locks;
		this.locksOfThread = locksOfThread;
	}

	@Override
	public void lock() {
		Lock lock = this.locks.asLock(this.request);
		lock.lock();
		this.locksOfThread.add(this.request.id(), lock);
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		Lock lock = this.locks.asLock(this.request);
		lock.lockInterruptibly();
		this.locksOfThread.add(this.request.id(), lock);
	}

	@Override
	public boolean tryLock() {
		Lock lock = this.locks.asLock(this.request);
		return locked(lock, lock.tryLock());
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		Lock lock = this.locks.asLock(this.request);
		return locked(lock, lock.tryLock(time, unit));
	}

	private boolean locked(Lock lock, boolean locked) {
		if (locked) {
			this.locksOfThread.add(this.request.id(), lock);
		}
		return locked;
	}

	@Override
	public void unlock() {
		Lock lock = this.locksOfThread.removeLast(this.request.id());
		if (lock == null) {
			throw new IllegalMonitorStateException("Thread '%s' has not locked %s, or has unlocked it already"
				.formatted(Thread.currentThread().getName(), this.request.id()));
		}
		lock.unlock();
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("A distributed lock has no conditions");
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof RegistryLock lock && this.locksOfThread == lock.locksOfThread
				&& this.request.equals(lock.request);
	}

	@Override
	public int hashCode() {
		return this.request.hashCode();
	}

	@Override
	public String toString() {
		return "Lock[" + this.request + "]";
	}

}
