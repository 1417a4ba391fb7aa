package io.interlock.template;

import java.util.List;
import java.util.function.Consumer;

import io.interlock.LockListener;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Tells every listener, in order. One that throws is logged and does not keep the others
 * from being told.
 */
final class LockListeners {

	private static final Log logger = LogFactory.getLog(LockListeners.class);

	private final LockListener[] listeners;

	LockListeners(List<LockListener> listeners) {
		this.listeners = listeners.toArray(LockListener[]::new);
	}

	void tell(Consumer<LockListener> news) {
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
