package io.interlock.template;

import java.util.List;
import java.util.function.Consumer;

import io.interlock.LockListener;
import io.interlock.LockRequest;
import io.interlock.provider.LockProvider;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** What the acquisitions and holds of one template share. */
final class TemplateParts {

	private static final Log logger = LogFactory.getLog(TemplateParts.class);

	private final LockProvider provider;

	private final LockSettings settings;

	private final HeldLocks heldLocks;

	private final LockListener[] listeners;

	TemplateParts(LockProvider provider, LockSettings settings, HeldLocks heldLocks, List<LockListener> listeners) {
		this.provider = provider;
		this.settings = settings;
		this.heldLocks = heldLocks;
		this.listeners = listeners.toArray(LockListener[]::new);
	}

	LockProvider provider() {
		return this.provider;
	}

	/** A request that names its provider is checked where that is found. */
	void check(LockRequest request) {
		if (request.id().provider() == null) {
			this.provider.capabilities().check(request);
		}
	}

	LockSettings settings() {
		return this.settings;
	}

	HeldLocks heldLocks() {
		return this.heldLocks;
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
