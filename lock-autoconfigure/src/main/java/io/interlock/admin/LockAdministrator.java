package io.interlock.admin;

import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.RevocationRequest;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Asks holders to give a lock up, and frees locks by force for operators who know that a
 * holder will not. Whatever is done or refused is logged with who asked for it. Safe for
 * use by many threads.
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
	public TokenNode release(LockId id, long token, String requestedBy) {
		try {
			TokenNode released = this.nodes.delete(id, token);
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

	/**
	 * Ask the holder of a lock to give it up, by
	 * {@link LockHandle#onRevocationRequested}. Whether it does, and when, is up to the
	 * holder, and needs {@code interlock.admin.enabled} in its instance too: look at the
	 * lock again.
	 * @param id which lock
	 * @param token the token that the operator saw
	 * @param handoff the hand-off number that the operator saw, so that nobody is asked
	 * to whom the lock was handed since then; {@code null} for whoever holds it by that
	 * token
	 * @param requestedBy who asks
	 * @return the node whose instance is asked
	 * @throws StaleTokenException if no node of that lock has this token any more
	 * @throws LockInspectionException if the service does not answer or does not permit
	 * it
	 */
	public TokenNode requestRevocation(LockId id, long token, @Nullable Integer handoff, String requestedBy) {
		RevocationRequest request = new RevocationRequest(requestedBy, Instant.now());
		try {
			TokenNode asked = this.nodes.requestRevocation(id, token, handoff, request);
			logger.info(printable("The holder of lock %s is asked to give it up, by %s: token %d, node %s of %s"
				.formatted(id, requestedBy, token, asked.path(), asked.owner())));
			tell((listener) -> listener.onRequested(asked, request));
			return asked;
		}
		catch (StaleTokenException | LockInspectionException ex) {
			logger.warn(printable("The holder of lock %s could not be asked to give it up, by %s: %s".formatted(id,
					requestedBy, ex.getMessage())));
			tell((listener) -> listener.onNotRequested(id, token, request, ex));
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
