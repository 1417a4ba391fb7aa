package io.interlock.leader;

/**
 * Called when this instance begins and ceases to lead. Each {@link #onGranted} is
 * followed by one {@link #onRevoked}, and the calls for one {@link Leadership} come one
 * after the other, on a thread that belongs to no other code and under no lock. Until a
 * call returns, neither is the leadership given to another instance on purpose nor does
 * this instance stand for election again; a loss does not wait for it. An exception is
 * logged and changes nothing.
 * <p>
 * {@link #onGranted} may block for as long as this instance leads. Its thread is
 * interrupted when the term is over: lost, closed, yielded, or at the end of the
 * application. Other than in Curator's {@code LeaderSelector}, its return does not end
 * the term; {@link Leadership#yield} does.
 *
 * @since 0.1.0
 */
public interface LeadershipListener {

	/**
	 * This instance leads. Do the work here until the interrupt, or begin it here and do
	 * it elsewhere.
	 * @param leadership the leadership
	 */
	void onGranted(Leadership leadership);

	/**
	 * This instance does not lead any more: its session has ended, the leadership was
	 * closed, or the application stops. {@link Leadership#isLeader()} is {@code false}
	 * already, and the token is still that of the term that has ended.
	 * @param leadership the leadership
	 */
	void onRevoked(Leadership leadership);

}
