package io.interlock.interceptor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.interlock.LockHandle;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.template.LockCallback;
import io.interlock.template.LockOperations;
import io.interlock.template.LockOutcome;
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

	private Runnable beforeRelease = () -> {
	};

	public RecordingLockOperations contended() {
		this.contended = true;
		return this;
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
		if (this.contended) {
			throw new LockNotAcquiredException("Contended", request.id(), Duration.ZERO, null);
		}
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
		if (this.contended) {
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

	private LockHandle handle(LockRequest request) {
		LockHandle handle = mock(LockHandle.class);
		given(handle.id()).willReturn(request.id());
		return handle;
	}

}
