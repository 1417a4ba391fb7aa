package io.interlock.curator;

/**
 * A node of ours in the queue of a lock.
 *
 * @param path its path
 * @param czxid the transaction that created it
 * @param sessionId the session that it belongs to
 * @param sentAt when its creation was sent, as {@link System#nanoTime()}
 */
record LockNode(String path, long czxid, long sessionId, long sentAt) {

}
