package io.interlock.interceptor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;

import io.interlock.LockHandle;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.template.LockCallback;
import io.interlock.template.LockHandles;
import io.interlock.template.LockOperations;
import io.interlock.template.LockOutcome;
import io.interlock.template.LocksCallback;
import org.jspecify.annotations.Nullable;

import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Lock operations without any lock: remember what is asked for, and say "not acquired" on
 * demand.
 */
public class RecordingLockOperations implements LockOperations {

	private final List<LockRequest> requests = new ArrayList<>();

	private final List<LockRequest> held = new ArrayList<>();

	private boolean contended;

	private @Nullable LockServiceUnavailableException outage;

	private @Nullable RuntimeException refusal;

	private Runnable beforeRelease = () -> {
	};

	public RecordingLockOperations contended() {
		this.contended = true;
		return this;
	}

	public void unavailable(LockServiceUnavailableException outage) {
		this.outage = outage;
	}

	/** The locks are acquired, and the transaction that is to keep them refuses. */
	public void refuseBody(RuntimeException refusal) {
		this.refusal = refusal;
	}

	public void available() {
		this.outage = null;
	}

	public void beforeRelease(Runnable action) {
		this.beforeRelease = action;
	}

	public List<LockRequest> requests() {
		return this.requests;
	}

	public LockRequest lastRequest() {
		return this.requests.get(this.requests.size() - 1);
	}

	public boolean isHolding() {
		return !this.held.isEmpty();
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockCallback<T, E> action)
			throws E {
		this.requests.add(request);
		if (this.outage != null) {
			throw this.outage;
		}
		if (this.contended) {
			throw new LockNotAcquiredException("Contended", request.id(), Duration.ZERO, null);
		}
		throwIfRefused();
		this.held.add(request);
		try {
			return action.doInLock(handle(request));
		}
		finally {
			this.beforeRelease.run();
			this.held.remove(request);
		}
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> LockOutcome<T> tryExecute(LockRequest request,
			LockCallback<T, E> action) throws E {
		if (this.contended && this.outage == null) {
			this.requests.add(request);
			return LockOutcome.notAcquired();
		}
		return LockOutcome.acquired(execute(request, action));
	}

	@Override
	public LockHandle acquire(LockRequest request) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Optional<LockHandle> tryAcquire(LockRequest request) {
		throw new UnsupportedOperationException();
	}

	@Override
	public LockHandles acquireAll(Collection<LockRequest> requests) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Optional<LockHandles> tryAcquireAll(Collection<LockRequest> requests) {
		throw new UnsupportedOperationException();
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T executeAll(Collection<LockRequest> requests,
			LocksCallback<T, E> action) throws E {
		this.requests.addAll(requests);
		if (this.contended) {
			throw new LockNotAcquiredException("Contended", requests.iterator().next().id(), Duration.ZERO, null);
		}
		throwIfRefused();
		this.held.addAll(requests);
		try {
			return action.doInLocks(mock(LockHandles.class));
		}
		finally {
			this.held.removeAll(requests);
		}
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> LockOutcome<T> tryExecuteAll(
			Collection<LockRequest> requests, LocksCallback<T, E> action) throws E {
		if (this.contended) {
			this.requests.addAll(requests);
			return LockOutcome.notAcquired();
		}
		return LockOutcome.acquired(executeAll(requests, action));
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		throw new UnsupportedOperationException();
	}

	@Override
	public CompletableFuture<Optional<LockHandle>> tryAcquireAsync(LockRequest request) {
		throw new UnsupportedOperationException();
	}

	@Override
	public <T extends @Nullable Object> CompletableFuture<T> executeAsync(LockRequest request,
			Function<LockHandle, ? extends CompletionStage<T>> action) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Lock asLock(LockRequest request) {
		throw new UnsupportedOperationException();
	}

	private void throwIfRefused() {
		if (this.refusal != null) {
			throw this.refusal;
		}
	}

	private LockHandle handle(LockRequest request) {
		LockHandle handle = mock(LockHandle.class);
		given(handle.id()).willReturn(request.id());
		return handle;
	}

}
