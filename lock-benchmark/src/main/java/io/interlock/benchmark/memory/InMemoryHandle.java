package io.interlock.benchmark.memory;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockRequest;

/**
 * A hold that is never lost.
 */
final class InMemoryHandle implements LockHandle {

	private final LockRequest request;

	private final long token;

	private final Runnable end;

	private final Instant acquiredAt = Instant.now();

	private final AtomicBoolean closed = new AtomicBoolean();

	InMemoryHandle(LockRequest request, long token, Runnable end) {
		this.request = request;
		this.token = token;
		this.end = end;
	}

	@Override
	public LockId id() {
		return this.request.id();
	}

	@Override
	public LockMode mode() {
		return this.request.mode();
	}

	@Override
	public Instant acquiredAt() {
		return this.acquiredAt;
	}

	@Override
	public long fencingToken() {
		return this.token;
	}

	@Override
	public boolean isValid() {
		return !this.closed.get();
	}

	@Override
	public void verify() {
		// Nobody can take it away.
	}

	@Override
	public void onLoss(Runnable action) {
		// Never lost.
	}

	@Override
	public void close() {
		if (this.closed.compareAndSet(false, true)) {
			this.end.run();
		}
	}

}
