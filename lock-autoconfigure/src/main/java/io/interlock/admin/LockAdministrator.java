package io.interlock.admin;

import java.util.List;
import java.util.function.Consumer;

import io.interlock.LockId;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.util.Assert;

/**
 * Frees locks by force, for operators who know that a holder will not. Whatever is done
 * or refused is logged with who asked for it. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class LockAdministrator {

	private static final Log logger = LogFactory.getLog(LockAdministrator.class);

	private final LockNodes nodes;

	private final List<LockAdministrationListener> listeners;

	/**
	 * Create an administrator.
	 * @param nodes where the locks are
	 * @param listeners who is told
	 */
	public LockAdministrator(LockNodes nodes, List<LockAdministrationListener> listeners) {
		Assert.notNull(nodes, "'nodes' must not be null");
		Assert.notNull(listeners, "'listeners' must not be null");
		this.nodes = nodes;
		this.listeners = List.copyOf(listeners);
	}

	/**
	 * End a tenure: delete the node that has a token. The instance that made it learns of
	 * it as a loss, for every thread that it had given the lock to.
	 * @param id which lock
	 * @param token the token that the operator saw
	 * @param requestedBy who asks
	 * @return what was released
	 * @throws StaleTokenException if no node of that lock has this token any more
	 * @throws LockInspectionException if the service does not answer or does not permit
	 * it
	 */
	public ReleasedNode release(LockId id, long token, String requestedBy) {
		try {
			ReleasedNode released = this.nodes.delete(id, token);
			logger.warn(printable("Lock %s was released by force, as %s asked: token %d, node %s of %s".formatted(id,
					requestedBy, token, released.path(), released.owner())));
			tell((listener) -> listener.onReleased(released, requestedBy));
			return released;
		}
		catch (StaleTokenException | LockInspectionException ex) {
			logger.warn(printable(
					"Lock %s was not released by force, as %s asked: %s".formatted(id, requestedBy, ex.getMessage())));
			tell((listener) -> listener.onNotReleased(id, token, requestedBy, ex));
			throw ex;
		}
	}

	private void tell(Consumer<LockAdministrationListener> news) {
		for (LockAdministrationListener listener : this.listeners) {
			try {
				news.accept(listener);
			}
			catch (RuntimeException ex) {
				logger.warn("Listener %s failed".formatted(listener), ex);
			}
		}
	}

	/**
	 * Keep what came with a request or from another client within its line of the log.
	 */
	private static String printable(String text) {
		return text.replaceAll("\\p{Cntrl}", "?");
	}

}
