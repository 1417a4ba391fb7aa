package io.interlock.curator;

/**
 * Is told what the session goes through. Called on the client's event threads: must not
 * block.
 */
interface SessionObserver {

	void connected();

	void suspended();

	void sessionLost(SessionLease lease);

}
