package io.interlock.template;

import java.util.List;
import java.util.function.Consumer;

import io.interlock.LockListener;
import io.interlock.LockRequest;
import io.interlock.provider.LockProvider;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.core.task.TaskDecorator;

/** What the acquisitions and holds of one template share. */
record TemplateParts(LockProvider provider, LockSettings settings, HeldLocks heldLocks, List<LockListener> listeners,
		TaskDecorator bodies) {

	private static final Log logger = LogFactory.getLog(TemplateParts.class);

	TemplateParts {
		listeners = listeners.stream().toList();
	}

	void check(LockRequest request) {
		this.provider.capabilities(request).check(request);
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
