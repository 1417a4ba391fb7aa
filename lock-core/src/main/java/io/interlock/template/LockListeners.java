package io.interlock.template;

import java.util.List;
import java.util.function.Consumer;

import io.interlock.LockListener;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** The listeners of one template, in their order. What one of them throws is logged. */
record LockListeners(List<LockListener> inOrder) {

	private static final Log logger = LogFactory.getLog(LockListeners.class);

	LockListeners {
		inOrder = inOrder.stream().toList();
	}

	void tell(Consumer<LockListener> news) {
		for (LockListener listener : this.inOrder) {
			try {
				news.accept(listener);
			}
			catch (Throwable ex) {
				logger.warn("Lock listener %s failed; the lock is not affected".formatted(listener), ex);
			}
		}
	}

}
