package io.interlock.template;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockRequest;
import io.interlock.RevocationRequest;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Tells every listener, in order. One that throws is logged and does not keep the others
 * from being told.
 */
final class LockListeners implements LockListener {

	private static final Log logger = LogFactory.getLog(LockListeners.class);

	private final LockListener[] listeners;

	LockListeners(List<LockListener> listeners) {
		this.listeners = listeners.toArray(LockListener[]::new);
	}

	@Override
	public void onWaiting(LockRequest request) {
		tell((listener) -> listener.onWaiting(request));
	}

	@Override
	public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
		tell((listener) -> listener.onAcquired(request, handle, waited));
	}

	@Override
	public void onNotAcquired(LockRequest request, Duration waited) {
		tell((listener) -> listener.onNotAcquired(request, waited));
	}

	@Override
	public void onFailure(LockRequest request, LockException failure) {
		tell((listener) -> listener.onFailure(request, failure));
	}

	@Override
	public void onReleased(LockHandle handle, Duration held) {
		tell((listener) -> listener.onReleased(handle, held));
	}

	@Override
	public void onLost(LockHandle handle) {
		tell((listener) -> listener.onLost(handle));
	}

	@Override
	public void onUnconfirmed(LockHandle handle) {
		tell((listener) -> listener.onUnconfirmed(handle));
	}

	@Override
	public void onOverdue(LockHandle handle, Duration held) {
		tell((listener) -> listener.onOverdue(handle, held));
	}

	@Override
	public void onRevocationRequested(LockHandle handle, RevocationRequest request) {
		tell((listener) -> listener.onRevocationRequested(handle, request));
	}

	private void tell(Consumer<LockListener> news) {
		for (LockListener listener : this.listeners) {
			try {
				news.accept(listener);
			}
			catch (Throwable ex) {
				logger.warn("Lock listener %s failed; the lock is not affected".formatted(listener), ex);
			}
		}
	}

}
