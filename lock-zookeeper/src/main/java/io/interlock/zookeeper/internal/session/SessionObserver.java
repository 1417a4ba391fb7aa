package io.interlock.zookeeper.internal.session;

/**
 * Notified of changes of the session. Called on the client's event threads: must not
 * block.
 *
 * @since 0.1.0
 */
public interface SessionObserver {

	void connected();

	void suspended();

	void sessionLost(SessionLease lease);

	/** Return whether {@link #look} has to be called every now and then. */
	boolean isWaiting();

	/** Continue waiting attempts. Called by a timer: must not block. */
	void look();

}
